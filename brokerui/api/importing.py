"""Taking an import in: the estate that it makes of the live one, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext as _

from brokerui.api.import_request import INSTANCES, INTO, WHOLE, Asked
from brokerui.api.problems import Problem
from brokerui.api.rows import databases_of
from brokerui.estate.counting import counted
from brokerui.estate.difference import difference
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate
from brokerui.estate.services import estate_import
from brokerui.importing import something_is_missing
from routing.document import read_estate
from routing.errors import Invalid
from routing.estate import Estate
from routing.finding import Finding
from routing.sentence import say, translator
from routing.tsql import read_scripts

SHOWN = 1_000
"""Findings that an answer holds."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of an import."""

    version: int
    digest: str
    dry_run: bool
    counts: dict[str, int]
    changes: dict[str, int]
    findings: Sequence[Finding]

    def as_json(self) -> dict[str, Any]:
        """Reasons in the language of the reader."""
        translate = translator(gettext, ngettext)
        return {
            "version": self.version,
            "dry_run": self.dry_run,
            "complete": not something_is_missing(self.findings),
            "counts": self.counts,
            "changes": self.changes,
            "findings": [finding.as_json(translate) for finding in self.findings[:SHOWN]],
            "findings_total": len(self.findings),
        }


@dataclass(frozen=True, slots=True)
class _Made:
    estate: Estate
    imported: frozenset[str]
    """The instances that were read anew."""
    findings: Sequence[Finding] = ()


def estate_take(asked: Asked, live: LiveEstate, author: str) -> Taken:
    """Import what is asked for, as the next version; or say what would come of it."""
    made = _made(asked, live.estate)
    changes = asdict(counted(difference(live.estate, made.estate), live.estate))
    written = live if asked.dry_run else _written(asked, made, live, author)
    return Taken(written.version, written.digest, asked.dry_run, counts_of(made.estate), changes, made.findings)


def counts_of(estate: Estate) -> dict[str, int]:
    """How much an estate holds."""
    databases = [database for _instance, database in databases_of(estate, {})]
    return {
        "instances": len(estate.instances),
        "databases": len(databases),
        "services": sum(len(database.services) for database in databases),
        "queues": sum(len(database.queues) for database in databases),
        "routes": sum(len(database.table.routes) for database in databases),
    }


def _written(asked: Asked, made: _Made, live: LiveEstate, author: str) -> LiveEstate:
    try:
        return estate_import(
            estate=made.estate,
            author=author,
            note=asked.note,
            imported=made.imported,
            base_version=live.version,
        )
    except EstateStaleError:
        detail = _("The estate changed while this was read. Nothing of it was written; send it again.")
        raise Problem(409, detail) from None


def _made(asked: Asked, live: Estate) -> _Made:
    if asked.document is not None:
        return _of_document(asked, live)
    return _of_scripts(asked, live)


def _of_document(asked: Asked, live: Estate) -> _Made:
    if asked.mode == INTO:
        raise Invalid("mode", say("is for scripts: a document is not run on an estate"))
    assert asked.document is not None  # the caller looked
    estate = read_estate(asked.document, where=asked.where)
    imported = frozenset(estate.instances)
    if asked.mode == INSTANCES:
        estate = replace(live, instances={**live.instances, **estate.instances})
    return _Made(estate, imported)


def _of_scripts(asked: Asked, live: Estate) -> _Made:
    names = {group.name for group in asked.groups}
    estate, findings = read_scripts(asked.groups, into=_base(asked, live, names), at=asked.at or timezone.now())
    imported = {name for name in estate.instances if name in names or name not in live.instances}
    return _Made(estate, frozenset(imported), findings)


def _base(asked: Asked, live: Estate, names: set[str]) -> Estate | None:
    """What the scripts are run on."""
    if asked.mode == WHOLE:
        return None
    if asked.mode == INTO:
        return live
    # Names of servers compare without case.
    folded = {name.casefold() for name in names}
    return replace(live, instances={n: i for n, i in live.instances.items() if n.casefold() not in folded})
