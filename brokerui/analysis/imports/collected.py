"""Findings of an import about waiting messages and conversations, beside the estate that it makes.

The page, the command and the REST interface read here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from routing.catalog.snapshot import CatalogSnapshot
from routing.common.finding import Finding
from routing.lint.collected import collected_findings
from routing.model.estate import Estate

_PARTS = frozenset(("transmission_queue", "conversation_endpoints"))


@dataclass(frozen=True, slots=True)
class CollectedFile:
    """A file with rows of `sys.transmission_queue` or `sys.conversation_endpoints` of an instance."""

    where: str
    instance: str
    databases: tuple[str, ...]


def dated(snapshot: CatalogSnapshot, at: datetime) -> CatalogSnapshot:
    """The snapshot with a moment: a grid has none of its own, and is taken to be as old as its import."""
    return snapshot if snapshot.collected_at is not None else replace(snapshot, collected_at=at.replace(microsecond=0))


def collected_file(instance: str, snapshot: CatalogSnapshot) -> CollectedFile:
    """Return the databases whose waiting messages or open conversations a file has."""
    return CollectedFile(
        snapshot.where, instance, tuple(name for name, parts in snapshot.parts.items() if _PARTS & parts.keys())
    )


def findings_of_files(estate: Estate, files: Iterable[CollectedFile], at: datetime) -> Iterator[Finding]:
    """A finding for each service and status that waits, and for conversations that are left over; asked of the estate
    that all files make together, which has the ways back."""
    last = {(_spelt(estate, file.instance), database): file.where for file in files for database in file.databases}
    for (instance, database), where in last.items():
        for finding in collected_findings(estate, instance, database, at):
            yield replace(finding, file=where)


def _spelt(estate: Estate, instance: str) -> str:
    """The name as the estate has it."""
    if instance in estate.instances:
        return instance
    return next((name for name in estate.instances if name.casefold() == instance.casefold()), instance)
