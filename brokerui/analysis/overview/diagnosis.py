"""The causes as values for programs, all in words: `brokerui status --diagnose`."""

from __future__ import annotations

from typing import Any, Final

from brokerui.analysis.overview.cause_estimates import cause_estimates
from brokerui.analysis.overview.entries import CauseInWords
from brokerui.analysis.overview.overview import overview_counted
from routing.common.moment import format_moment

TRIED_S: Final = 10.0
"""Seconds for trying remedies."""
MOST: Final = 1_000
"""Causes that are listed."""


def diagnosed() -> list[dict[str, Any]]:
    """Every cause, the worst first."""
    found = overview_counted(TRIED_S, MOST)
    estimates = cause_estimates(found.live, found.entries)
    return [_as_json(entry, seconds) for entry, seconds in zip(found.entries, estimates, strict=True)]


def _as_json(entry: CauseInWords, drain_estimate_s: int | None) -> dict[str, Any]:
    cause, remedy = entry.cause, entry.remedy
    return {
        "cause": entry.title,
        "sentence": entry.effect,
        "outcome": cause.outcome,
        "instance": cause.instance,
        "database": cause.database or None,
        "conversations": cause.conversations,
        "messages": cause.messages,
        "oldest_s": cause.oldest_s,
        "log_lines": cause.lines or None,
        "logged_last": cause.last or None,
        "collected_at": format_moment(cause.collected_at) if cause.collected_at is not None else None,
        "looks": entry.diagnosis.as_json(),
        "drain_estimate_s": drain_estimate_s,
        "remedy": entry.remedy_words or None,
        "remedy_sql": remedy.sql if remedy is not None else None,
    }
