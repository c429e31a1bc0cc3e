"""The causes of one real server, in the words of the overview."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from brokerui.analysis.overview.causes import worst_first
from brokerui.analysis.overview.entries import CauseInWords, entries_of
from brokerui.analysis.overview.held_rows import collected_rows
from brokerui.estate.selectors import LiveEstate

TRIED_S: Final = 0.3
"""Seconds for trying remedies."""
SHOWN: Final = 100
"""Causes that are put into words."""


def causes_of_server(live: LiveEstate, server: str, at: datetime, seconds: float = TRIED_S) -> list[CauseInWords]:
    """The causes for which messages waited there when it was asked, the worst first."""
    causes = worst_first(row for row in collected_rows(live, at) if row.instance == server)
    return entries_of(live, causes[:SHOWN], at, seconds)
