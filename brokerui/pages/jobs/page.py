"""Contents of the page of background work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as lazy

from brokerui.core.jobs.kinds import kind_of, kinds
from brokerui.core.jobs.models import Job, JobFailure, JobState
from brokerui.pages.shell.columns import Column, ShownTable, Table

LISTED = 200
LATE = timedelta(seconds=90)
"""A job that is due for longer waits for a worker that does not run."""
STATES: Mapping[str, Promise] = {
    JobState.WAITING: lazy("Waiting"),
    JobState.RUNNING: lazy("Running"),
    JobState.FAILED: lazy("Failed"),
    JobState.DONE: lazy("Done"),
    JobState.CANCELLED: lazy("Cancelled"),
}
"""In the order of the filter: first what somebody may have to do something about."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job, with the words for it."""

    job: Job
    kind: str
    subject: str
    """The subject of the job."""
    max_attempts: int | None

    @classmethod
    def of(cls, job: Job) -> JobRow:
        """Return the row of a job, also of one whose kind only a later version of the product knows."""
        try:
            kind = kind_of(job.kind)
        except KeyError:
            return cls(job, job.kind, job.key, None)
        return cls(job, str(kind.label), kind.describe(job), kind.max_attempts)

    @property
    def state(self) -> Promise:
        return STATES[self.job.state]

    @property
    def note(self) -> str:
        """Return a note that completes the state."""
        if self.job.state == JobState.RUNNING and self.job.cancelled_by:
            return gettext("is being cancelled")
        if self.job.is_lapsed:
            return gettext("its worker is lost")
        if self.job.is_late(LATE):
            return gettext("no worker has started it")
        if self.job.state == JobState.WAITING and self.job.attempts:
            return gettext("is tried again")
        return gettext("by %(author)s") % {"author": self.job.cancelled_by} if self.job.cancelled_by else ""

    @property
    def since(self) -> datetime:
        """When it came into its state."""
        began = self.job.started_at if self.job.state == JobState.RUNNING else None
        return self.job.ended_at or began or self.job.requested_at

    @property
    def error(self) -> str:
        """One line."""
        if self.job.failure == JobFailure.WORKER_LOST:
            attempts = self.job.attempts
            words = ngettext(
                "It was started %(n)s time, and no worker finished it.",
                "It was started %(n)s times, and no worker finished it.",
                attempts,
            )
            return words % {"n": attempts}
        return self.job.error

    @property
    def can_cancel(self) -> bool:
        return self.job.is_open and not self.job.cancelled_by

    @property
    def can_retry(self) -> bool:
        return self.job.state in (JobState.FAILED, JobState.CANCELLED) and self.max_attempts is not None


TABLE: Table[JobRow] = Table(
    Column("kind", lazy("Kind"), lambda row: row.kind, is_head=True),
    Column("subject", lazy("Of what"), lambda row: row.subject),
    Column("state", lazy("State"), lambda row: list(STATES).index(row.job.state)),
    Column("since", lazy("Since"), lambda row: row.since),
    Column("attempts", lazy("Attempts"), lambda row: row.job.attempts, is_number=True),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a filter."""

    label: str
    query: str
    count: int
    is_on: bool


@dataclass(frozen=True, slots=True)
class JobsPage:
    """The jobs of the chosen state and kind, the newest first."""

    rows: list[JobRow]
    states: list[Choice]
    kinds: list[Choice]
    counts: Mapping[str, int]
    """Number of jobs by state, of all kinds."""
    query: str
    """The filter, as an address holds it."""
    table: ShownTable[JobRow]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        failed, running, waiting = (self.counts[s] for s in (JobState.FAILED, JobState.RUNNING, JobState.WAITING))
        if failed:
            return ngettext("%(n)s job failed.", "%(n)s jobs failed.", failed) % {"n": failed}
        if running + waiting:
            return gettext("%(running)s running, %(waiting)s waiting.") % {"running": running, "waiting": waiting}
        return gettext("Nothing waits, and nothing has failed.")

    @property
    def tone(self) -> str:
        if self.counts[JobState.FAILED]:
            return "bad"
        return "good" if not self.counts[JobState.RUNNING] + self.counts[JobState.WAITING] else ""


def page_of(query: Mapping[str, str]) -> JobsPage:
    """The page for an address; what the filter does not know counts as "all"."""
    state, kind, table = query.get("state", ""), query.get("kind", ""), TABLE.read(query)
    chosen = {"state": state if state in STATES else "", "kind": kind if kind in {k.name for k in kinds()} else ""}
    by_state, by_kind = Counter[str](), Counter[str]()
    for its_state, its_kind, count in Job.objects.order_by().values_list("state", "kind").annotate(n=Count("pk")):
        by_state[its_state] += count
        by_kind[its_kind] += count
    rows = Job.objects.filter(**{name: value for name, value in chosen.items() if value})[:LISTED]
    return JobsPage(
        rows=table.ordered(map(JobRow.of, rows)),
        states=_choices("state", chosen | table.own, {name: str(label) for name, label in STATES.items()}, by_state),
        kinds=_choices("kind", chosen | table.own, {one.name: str(one.label) for one in kinds()}, by_kind),
        counts=by_state,
        query=urlencode({name: value for name, value in chosen.items() if value}),
        table=table,
    )


def _choices(
    name: str, chosen: Mapping[str, str], labels: Mapping[str, str], counts: Mapping[str, int]
) -> list[Choice]:
    """A value that is chosen already is taken back by its link."""
    found = []
    for value, label in labels.items():
        is_on = chosen[name] == value
        query = {**chosen, name: "" if is_on else value}
        kept = urlencode({key: text for key, text in query.items() if text})
        found.append(Choice(label, kept, counts.get(value, 0), is_on))
    return [one for one in found if one.count or one.is_on]
