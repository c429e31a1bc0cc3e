"""What a statement names must be there; where the scripts did not make the database, it may be there unseen.

Scripts are often a part of what an instance holds. A queue, a contract or a message type that is named in a database
which they only use is taken to be there, with a warning; in one that they create, or of which a document tells, it
cannot be. Nothing is made of a name: only the reference to it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from routing.common.sentence import Sentence, say
from routing.tsql.draft import KINDS, DraftDatabase, folded
from routing.tsql.refusal import NOT_FOUND, NotApplied, not_found, not_made
from routing.tsql.statement import QUEUE

SYSTEM_NAMES = "http://schemas.microsoft.com/SQL/"
"""How the names of services, contracts and message types begin that are in every database."""


class ReferenceChecker:
    """The names that one statement needs in one database; `notes` grows with those that nobody has seen."""

    def __init__(self, database: DraftDatabase) -> None:
        self.database = database
        self.notes: list[NotApplied] = []

    def all(self, kind: str, names: Iterable[str]) -> None:
        """Raises `NotApplied` for one that cannot be there; the product brings some of its own."""
        catalog = self.database.catalog(KINDS[kind])
        for name in names:
            own = name == "DEFAULT" or name.startswith(SYSTEM_NAMES)
            if not own and catalog.find(name) is None:
                self._missing(kind, name)

    def queue(self, name: str, service: str) -> str:
        """The name of the queue as it was made; a service waits for one that may still be made."""
        queue = self.database.queues.find(name)
        if queue is None:
            self._missing(QUEUE, name)
            self.database.awaited.setdefault(name.casefold(), []).append(service)
        return queue.name if queue else name

    def _missing(self, kind: str, name: str) -> None:
        problem = missing(self.database, kind, name)
        if not self.database.may_hold(kind, name):
            raise not_found(kind, name, problem)
        self.notes.append(NotApplied(NOT_FOUND, say("{problem}; it is taken to be there", problem=problem)))


def missing(database: DraftDatabase, kind: str, name: str) -> Sentence:
    """How it comes that an object is not there."""
    if database.catalog(KINDS[kind]).had(name):
        return say('the {kind} "{name}" was dropped before', kind=kind.lower(), name=name)
    place = database.in_strings.get((kind, folded(kind, name))) if database.in_strings else None
    if place is None:
        return not_made(kind, name)
    return say(
        'the {kind} "{name}" is made in a string only, which was not run ({file}:{line})',
        kind=kind.lower(),
        name=name,
        file=place[0],
        line=place[1],
    )
