"""A conversation, as routing sees it: where it enters, what it asks for, and by which identifier."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.errors import Invalid
from routing.common.names import MSDB
from routing.common.sentence import say
from routing.model.estate import Estate


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation begun in a database, or a message of one that reaches an instance from outside."""

    instance: str
    database: str | None
    """The database that began it; None: it reaches the instance from outside."""
    to_service: str
    to_broker_instance: str | None = None
    """The identifier that it gives, lower case; None: it gives none."""
    is_reply: bool = False
    """Its messages come from a target service (RT-REPLY)."""
    from_service: str | None = None
    """Its own service, which the return path leads to; routing does not look at it."""
    id: str | int | None = None
    """The name that its asker gave it."""

    @property
    def from_outside(self) -> bool:
        return self.database is None

    def check(self, estate: Estate) -> None:
        """Raises `Invalid` when its instance or database is not in the estate."""
        instance = estate.instances.get(self.instance)
        if instance is None:
            raise Invalid("from", say('there is no instance "{name}" in the estate', name=self.instance))
        # Every instance has an msdb; one that is not written has no routes.
        if self.database not in (None, MSDB) and self.database not in instance.databases:
            problem = say('there is no database "{name}" on "{instance}"', name=self.database, instance=self.instance)
            raise Invalid("from", problem)
