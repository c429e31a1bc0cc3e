"""Checks that objects named in a statement exist; in a database that no script creates, they may exist unseen.

Scripts often contain only a part of an instance. A queue, contract or message type named in a database that the scripts
only use is assumed to exist, with a warning; in a database that they create, or that a document lists, it must exist.
An assumed object is not created: only the reference to it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from routing.common.sentence import Sentence, say
from routing.tsql.draft import KINDS, DraftDatabase, folded
from routing.tsql.refusal import NOT_FOUND, NotApplied, not_found, not_made
from routing.tsql.statement import QUEUE

SYSTEM_NAMES = "http://schemas.microsoft.com/SQL/"
"""Prefix of services, contracts and message types that exist in every database."""


class ReferenceChecker:
    """Checks the names that one statement needs in one database; `notes` collects warnings about assumed objects."""

    def __init__(self, database: DraftDatabase) -> None:
        self.database = database
        self.notes: list[NotApplied] = []

    def all(self, kind: str, names: Iterable[str]) -> None:
        """Raise `NotApplied` for a name that cannot exist; SQL Server's own names always exist."""
        catalog = self.database.catalog(KINDS[kind])
        for name in names:
            own = name == "DEFAULT" or name.startswith(SYSTEM_NAMES)
            if not own and catalog.find(name) is None:
                self._missing(kind, name)

    def queue(self, name: str, service: str) -> str:
        """The name of the queue in its original spelling; the service waits for a queue that may be created later."""
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
    """Why an object does not exist."""
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
