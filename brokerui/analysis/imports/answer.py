"""Builds the answer of an import to a program: the version, how much differs, and the findings of its files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from brokerui.analysis.imports.finding_kinds import something_is_missing
from brokerui.analysis.imports.reading import BuiltEstate
from brokerui.core.sentence_json import sentence_as_json, sentence_from_json
from brokerui.estate.changed_row_counts import counted
from brokerui.estate.difference import difference
from routing.common.finding import Finding
from routing.common.sentence import translator
from routing.model.estate import Estate

Json = dict[str, Any]
SHOWN = 1_000
"""Findings that an answer holds."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Between the live estate and what an import makes of it."""

    counts: Json
    changes: Json


def difference_made(live: Estate, made: BuiltEstate) -> Difference:
    """How much the estate would hold, and how many rows differ."""
    return Difference(_counts(made.estate), asdict(counted(difference(live, made.estate), live)))


def answer_of(made: BuiltEstate, differs: Difference, version: int, *, dry_run: bool) -> Json:
    """As it is kept: reasons are sentences, so that everyone reads them in the own language."""
    return {
        "version": version,
        "dry_run": dry_run,
        "mode": made.mode,
        "complete": not something_is_missing(made.findings),
        "counts": differs.counts,
        "changes": differs.changes,
        "findings": [_finding(one) for one in made.findings[:SHOWN]],
        "findings_total": len(made.findings),
    }


def localized(answer: Json) -> Json:
    """Return the answer with its reasons in the reader's language."""
    translate = translator(gettext, ngettext)
    findings: Sequence[Json] = answer["findings"]
    findings_in_words = [{**one, "reason": sentence_from_json(one["reason"]).render(translate)} for one in findings]
    return {**answer, "findings": findings_in_words}


def _finding(finding: Finding) -> Json:
    # Plain ASCII: the text of a hostile script may hold characters that no database takes.
    return {**finding.as_json(), "reason": json.dumps(json.loads(sentence_as_json(finding.reason)))}


def _counts(estate: Estate) -> Json:
    databases = [database for instance in estate.instances.values() for database in instance.databases.values()]
    return {
        "instances": len(estate.instances),
        "databases": len(databases),
        "services": sum(len(database.user_services) for database in databases),
        "queues": sum(len(database.queues) for database in databases),
        "routes": sum(len(database.table.routes) for database in databases),
    }
