"""Reading findings. Pages, resources and commands ask `findings_for`, or `findings_at` about one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import cast

from django.utils import timezone

from brokerui.analysis.lint.error_badge import errors_note
from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.lint.models import LintFinding, LintRun
from brokerui.analysis.lint.models import Suppression as SuppressionRow
from brokerui.analysis.lint.services import request_lint
from brokerui.analysis.lint.stored_findings import LintResult, RouteKey, StoredFinding, by_route, counted
from brokerui.changes.estate_view import EstateView
from brokerui.core.cache import LruCache
from brokerui.core.deferred import defer
from brokerui.core.jobs.models import Job
from brokerui.estate.selectors import LiveEstate
from routing.common.finding import ERROR, Finding
from routing.lint.missing import missing_instances
from routing.lint.registry import lint, lint_around
from routing.lint.suppression import FindingSuppression, Suppressed, suppress
from routing.model.estate import Estate

SMALL = 2_000
"""Routes of an estate that is looked over while the page waits; larger ones are, in the background."""
LONG = 10_000
"""Findings that take longer to read than a request may, with the rest of a page."""
AGAIN = timedelta(hours=1)
"""Routes expire: an estate is linted again after this time."""
LATE = timedelta(seconds=20)
"""A running worker takes up a requested job within this time; after it, the page says that no worker runs."""
KEPT_SMALL, KEPT_LARGE = 32, 4


@dataclass(frozen=True)
class LintReport:
    """The findings of an estate as far as they are known, with the job that looks for the rest."""

    looked: LintResult | None = None
    """All findings; None: lint is still running."""
    suppressed: Suppressed | None = None
    """The findings by suppression; None: there are no suppressions for this estate."""
    job: Job | None = None
    """The background job that looks it over, also again; one that has ended failed or was cancelled."""

    @property
    def is_there(self) -> bool:
        return self.looked is not None

    @property
    def findings(self) -> tuple[StoredFinding, ...]:
        """The findings that are not suppressed, worst first."""
        if self.suppressed is not None:
            return cast("tuple[StoredFinding, ...]", self.suppressed.findings)
        return self.looked.findings if self.looked else ()

    @cached_property
    def counts(self) -> Counter[str]:
        """How many of each severity."""
        return counted(self.findings) if self.suppressed or not self.looked else self.looked.counts

    @cached_property
    def of_routes(self) -> Mapping[RouteKey, tuple[StoredFinding, ...]]:
        """Findings by route."""
        if self.looked is None:
            return {}
        return self.looked.of_routes if self.suppressed is None else by_route(self.findings)

    @property
    def is_late(self) -> bool:
        """Whether no worker has claimed the job although one would have by now."""
        return self.job is not None and self.job.is_late(LATE)


def findings_for(viewed: EstateView) -> LintReport:
    """All findings of an estate; of a large one, those that a worker has found."""
    if is_small(viewed.estate):
        return _noted(viewed, _report(viewed, _small(viewed), None))
    target = EstateTarget.of(viewed)
    looked = _large(target)
    is_old = looked is not None and not target.moment and looked.evaluated_at < timezone.now() - AGAIN
    job = request_lint(target) if looked is None or is_old else None
    return _noted(viewed, _report(viewed, looked, job))


def findings_at(viewed: EstateView, instance: str, database: str | None = None) -> tuple[StoredFinding, ...]:
    """Return the findings of one instance with its databases, or of one database, without waiting for a job."""
    looked = _small(viewed) if is_small(viewed.estate) else _large(EstateTarget.of(viewed))
    if looked is None:
        around = lint_around(viewed.estate, viewed.at(), instance, database)
        looked = LintResult(tuple(map(StoredFinding.of, around)), viewed.at())
    here = (f for f in looked.findings if f.instance == instance and database in (None, f.database))
    return _report(viewed, LintResult(tuple(here), looked.evaluated_at), None).findings


def findings_of_live(live: LiveEstate, at: datetime) -> Iterator[Finding]:
    """All findings of the live estate at a time: those that a worker has stored, where they hold for that time, too;
    a large estate is looked over only where there are none."""
    looked = None if is_small(live.estate) else _large(EstateTarget(live.digest))
    if looked is None or _expires_after(live.estate, looked.evaluated_at):
        return iter(lint(live.estate, at))
    return (found.finding for found in looked.findings)


def _expires_after(estate: Estate, moment: datetime) -> bool:
    """True if a route is to expire after this moment: what lint says of it depends on the time."""
    tables = (table for instance in estate.instances.values() for table in instance.tables.values())
    routes = (route for table in tables for route in table.routes.values())
    return any(route.lifetime is not None and route.lifetime > moment for route in routes)


def suppressions() -> list[SuppressionRow]:
    """Return the suppressions of the live estate, those that expire first coming first."""
    return list(SuppressionRow.objects.all())


def as_rules(rows: Iterable[SuppressionRow]) -> list[FindingSuppression]:
    """As the engine takes them."""
    return [
        FindingSuppression(
            row.code, row.instance or None, row.database or None, row.object or None, row.owner, row.reason, row.expires
        )
        for row in rows
    ]


def is_small(estate: Estate) -> bool:
    """Whether it is looked over while the page waits."""
    return sum(len(table) for i in estate.instances.values() for name, table in i.tables.items() if name) <= SMALL


def _report(viewed: EstateView, looked: LintResult | None, job: Job | None) -> LintReport:
    rules = as_rules(suppressions()) if viewed.is_live else []
    if looked is None or not rules:
        return LintReport(looked, None, job)
    # It looks at what both kinds of finding have: code and place.
    findings = cast("tuple[Finding, ...]", looked.findings)
    return LintReport(looked, suppress(findings, rules, viewed.at()), job)


def _noted(viewed: EstateView, report: LintReport) -> LintReport:
    if report.is_there:
        errors_note(viewed, report.counts[ERROR])
    return report


_found_small: LruCache[LintResult] = LruCache(KEPT_SMALL)
_found_large: LruCache[LintResult] = LruCache(KEPT_LARGE)


def _small(viewed: EstateView) -> LintResult:
    at = viewed.at()
    minute = viewed.moment or at.replace(second=0)
    return _found_small.get_or_make((viewed.key, minute), lambda: _look(viewed.estate, at))


def _look(estate: Estate, at: datetime) -> LintResult:
    return LintResult(tuple(map(StoredFinding.of, lint(estate, at))), at, missing_instances(estate, at))


def _large(target: EstateTarget) -> LintResult | None:
    run = LintRun.objects.filter(key=target.key, moment=target.moment).first()
    if run is None:
        return None
    count = run.errors + run.warnings + run.infos
    if count > LONG and not _found_large.has(run.id):
        defer(("findings", run.id), partial(_found_large.get_or_make, run.id, partial(_read, run)))
    found = _found_large.get_or_make(run.id, lambda: _read(run))
    # One that was deleted while we read it is no look that found nothing.
    return found if len(found.findings) == count else None


def _read(run: LintRun) -> LintResult:
    rows = LintFinding.objects.filter(run=run).order_by("position")
    columns = rows.values_list("code", "severity", "instance", "database", "object", "reason", "remedy_sql")
    return LintResult(tuple(map(StoredFinding._make, columns)), run.evaluated_at, tuple(run.missing))
