"""A remedy as edits: its T-SQL is run on a copy of the estate, and the edits are what differs there."""

from __future__ import annotations

from datetime import datetime

from routing.model.edits_between import edits_between
from routing.model.estate import Edit, Estate
from routing.remedies.applying import applied, with_msdb


def remedy_edits(estate: Estate, instance: str, sql: str, at: datetime) -> tuple[Edit, ...]:
    """Return the edits of a remedy on an instance; none where the engine cannot run it."""
    before = with_msdb(estate, instance)
    after = applied(before, instance, sql, at)
    return edits_between(before, after) if after is not None else ()
