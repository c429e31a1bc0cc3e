"""The list of results: its columns, and its filter as the address has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext, gettext_lazy

from brokerui.analysis.traffic.models import Run
from brokerui.analysis.traffic.selectors import jobs_loaded, runs_loaded
from brokerui.pages.shell.columns import Column, Table
from brokerui.pages.shell.list_query import ListQuery

ROWS: Final = 200
"""Results that the page shows at most."""
SOURCES: Final = {"own": gettext_lazy("of applications"), "generated": gettext_lazy("generated")}
RUNS: Final[Table[Run]] = Table(
    Column("job", gettext_lazy("Job"), lambda run: run.job, is_head=True),
    Column("began", gettext_lazy("Began"), lambda run: run.started_at, is_moment=True),
    Column("rows_in", gettext_lazy("Rows in"), lambda run: run.rows_in, is_number=True),
    Column("rows_out", gettext_lazy("Rows out"), lambda run: run.rows_out, is_number=True),
    Column("quarantined", gettext_lazy("Quarantined"), lambda run: run.quarantined, is_number=True),
    Column("seconds", gettext_lazy("Seconds"), lambda run: run.seconds, is_number=True),
    Column("loaded", gettext_lazy("Loaded"), lambda run: run.loaded_at),
)


@dataclass(frozen=True, slots=True)
class RunsQuery(ListQuery):
    """The values of the page's address; empty ones restrict nothing."""

    FILTERS = ("job", "traffic")
    job: str = ""
    traffic: str = ""
    """`own` or `generated`."""
    sort: str = ""
    columns: str = ""

    def problems(self) -> Iterator[str]:
        """Sentences about values that no result has."""
        if self.traffic and self.traffic not in SOURCES:
            values = {"traffic": self.traffic, "names": ", ".join(SOURCES)}
            yield gettext("There is no traffic %(traffic)s: it is one of %(names)s.") % values

    def rows(self) -> list[Run]:
        """The results that fit, the latest first."""
        found = runs_loaded()
        found = found.filter(job=self.job) if self.job else found
        found = found.filter(is_generated=self.traffic == "generated") if self.traffic else found
        return list(found)


def runs_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the template."""
    table, page_query = RUNS.read(query), RunsQuery.of(query)
    problems, jobs = list(page_query.problems()), jobs_loaded()
    found = [] if problems else table.ordered(page_query.rows())
    return {
        "page_query": page_query,
        "problems": problems,
        "jobs": [(job, job == page_query.job) for job in jobs],
        "sources": [(name, words, name == page_query.traffic) for name, words in SOURCES.items()],
        "runs": found[:ROWS],
        "more_runs": max(0, len(found) - ROWS),
        "table": table,
    }
