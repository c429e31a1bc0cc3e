"""Taking an import in: the estate that it makes of the live one, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext as _

from brokerui.api.import_request import Asked
from brokerui.api.problems import Problem
from brokerui.api.rows import databases_of
from brokerui.estate.counting import counted
from brokerui.estate.difference import difference
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate
from brokerui.importing import something_is_missing
from brokerui.intake.applying import made_apply
from brokerui.intake.reading import Made, estate_made
from routing.estate import Estate
from routing.finding import Finding
from routing.sentence import translator

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


def estate_take(asked: Asked, live: LiveEstate, author: str) -> Taken:
    """Import what is asked for, as the next version; or say what would come of it."""
    made = estate_made(asked.sources, asked.mode, live.estate, asked.at or timezone.now())
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


def _written(asked: Asked, made: Made, live: LiveEstate, author: str) -> LiveEstate:
    try:
        return made_apply(
            estate=made.estate, imported=made.imported, author=author, note=asked.note, base_version=live.version
        )
    except EstateStaleError:
        detail = _("The estate changed while this was read. Nothing of it was written; send it again.")
        raise Problem(409, detail) from None
