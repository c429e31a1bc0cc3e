"""A conversation as routing sees it: where it begins, its target service, and the identifier it gives."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.errors import Invalid
from routing.common.names import MSDB
from routing.common.sentence import say
from routing.model.estate import Estate


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation begun in a database, or a message that reaches an instance from outside."""

    instance: str
    database: str | None
    """The database that began it; None: it reaches the instance from outside."""
    to_service: str
    to_broker_instance: str | None = None
    """The broker identifier it gives, lower case; None: it gives none."""
    is_reply: bool = False
    """Its messages come from a target service (RT-REPLY)."""
    from_service: str | None = None
    """The initiator's service, to which the return path leads; the rules ignore it."""
    id: str | int | None = None
    """A label chosen by the caller."""

    @property
    def from_outside(self) -> bool:
        return self.database is None

    def check(self, estate: Estate) -> None:
        """Raise `Invalid` if its instance or database is not in the estate."""
        instance = estate.instances.get(self.instance)
        if instance is None:
            raise Invalid("from", say('there is no instance "{name}" in the estate', name=self.instance))
        # Every instance has an msdb; one that the document omits has no routes.
        if self.database not in (None, MSDB) and self.database not in instance.databases:
            problem = say('there is no database "{name}" on "{instance}"', name=self.database, instance=self.instance)
            raise Invalid("from", problem)
