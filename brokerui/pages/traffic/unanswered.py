"""Rows of a result that an estate has no answer for: the headline names them, and a notice below it the next step."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.utils.translation import ngettext

from brokerui.analysis.traffic.models import Run

UNKNOWN_ENTRY: Final = "unknown_entry"
"""The reason in the quarantine for a row whose instance or database the estate of its time does not have."""


def with_unanswered(run: Run, headline: str, tone: str) -> dict[str, Any]:
    """Return a headline with the rows that it says nothing about; where there are some, it is not a good one."""
    early, strange = _early(run), _strange(run)
    words = " ".join((headline, *_words(early.get("rows", 0), strange)))
    context = {"headline": words, "tone": "warn" if tone == "good" and (early or strange) else tone, "strange": strange}
    if early:
        context |= {"early": early["rows"], "estate_since": datetime.fromisoformat(early["since"])}
    return context


def _words(early: int, strange: int) -> Iterator[str]:
    if early:
        words = ngettext("%(shown)s row is older than the estate.", "%(shown)s rows are older than the estate.", early)
        yield words % {"shown": f"{early:,}"}
    if strange:
        words = ngettext(
            "%(shown)s row names an instance or a database that the estate did not have.",
            "%(shown)s rows name an instance or a database that the estate did not have.",
            strange,
        )
        yield words % {"shown": f"{strange:,}"}


def _early(run: Run) -> dict[str, Any]:
    """How many rows are older than the first version of the estate, and since when that holds."""
    return run.record.get("before_estate") or {}


def _strange(run: Run) -> int:
    """How many others the estate of their time does not know. Records of earlier versions name the quarantine alone."""
    if (absent := run.record.get("not_in_estate")) is not None:
        return int(absent.get("rows", 0))
    return int(run.record.get("reasons", {}).get(UNKNOWN_ENTRY, 0)) - int(_early(run).get("rows", 0))
