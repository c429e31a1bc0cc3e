"""Keep the classes of Java that PySpark has found, their methods, and the packages on the way to them."""

from __future__ import annotations

from py4j.java_gateway import JavaClass, JavaMember, JavaPackage, JVMView


class KeptClass(JavaClass):  # type: ignore[misc]  # Py4J has no types
    """A class that asks Java once for each of its static methods.

    Otherwise each call of a function that makes a column lists the thousand methods beside it.
    """

    def __getattr__(self, name: str) -> object:
        found: object = super().__getattr__(name)
        if isinstance(found, JavaMember):
            self.__dict__[name] = found
        return found


class KeptPackage(JavaPackage):  # type: ignore[misc]  # Py4J has no types
    """A package that asks Java once for each package and class in it."""

    def __getattr__(self, name: str) -> object:
        return _kept(self, name, super().__getattr__(name))


class KeptClasses(JVMView):  # type: ignore[misc]  # Py4J has no types
    """The view of Java that asks once for each class. Otherwise each call looks for its class, and for each package on
    the way to it, in 300 archives."""

    def __getattr__(self, name: str) -> object:
        return _kept(self, name, super().__getattr__(name))


def _kept(holder: KeptClasses | KeptPackage, name: str, found: object) -> object:
    """Return what Java knows by a name, and let its holder keep it."""
    if isinstance(found, JavaClass):
        kept: object = KeptClass(found._fqn, found._gateway_client)
    elif isinstance(found, JavaPackage) and name.islower():
        kept = KeptPackage(found._fqn, found._gateway_client, found._jvm_id)
    else:  # Py4J takes a class for a package until an archive that has it is added
        return found
    holder.__dict__[name] = kept
    return kept


def kept_classes(java: JVMView) -> KeptClasses:
    """Return a view of the same Java that keeps what it finds."""
    return KeptClasses(java._gateway_client, java._jvm_name, java._id)
