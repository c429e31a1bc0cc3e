"""Keep the classes of Java that PySpark has found, and their methods."""

from __future__ import annotations

from py4j.java_gateway import JavaClass, JavaMember, JVMView


class KeptClass(JavaClass):  # type: ignore[misc]  # Py4J has no types
    """A class that asks Java once for each of its static methods.

    Otherwise each call of a function that makes a column lists the thousand methods beside it.
    """

    def __getattr__(self, name: str) -> object:
        found: object = super().__getattr__(name)
        if isinstance(found, JavaMember):
            self.__dict__[name] = found
        return found


class KeptClasses(JVMView):  # type: ignore[misc]  # Py4J has no types
    """The view of Java that asks once for each class. Otherwise each call looks for its class in 300 archives."""

    def __getattr__(self, name: str) -> object:
        found: object = super().__getattr__(name)
        if not isinstance(found, JavaClass):
            return found
        self.__dict__[name] = kept = KeptClass(found._fqn, found._gateway_client)
        return kept


def kept_classes(java: JVMView) -> KeptClasses:
    """Return a view of the same Java that keeps what it finds."""
    return KeptClasses(java._gateway_client, java._jvm_name, java._id)
