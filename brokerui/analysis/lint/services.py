"""Looking estates over in the background, and writing who answers for what."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from brokerui.analysis.lint.found import Found, counted
from brokerui.analysis.lint.models import LintFinding, LintRun, LintWanted, Suppression
from brokerui.analysis.lint.wanted import Wanted
from brokerui.core.celery_wake import wake_on_commit
from brokerui.estate.audit import audit
from brokerui.estate.selectors import estate_current
from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.lint.missing import missing_instances
from routing.lint.registry import lint

LAPSE = timedelta(minutes=5)
"""A worker that has begun and not ended by then is no more."""
KEPT = 8
"""So many looks are kept."""
PLACE = ("code", "instance", "database", "object")
BATCH = 2_000
"""Rows in one statement."""


def lint_want(wanted: Wanted) -> LintWanted:
    """Have a worker look an estate over, unless one has been asked already."""
    place = {"scenario": wanted.scenario, "version": wanted.version, "asked_at": timezone.now()}
    with transaction.atomic():
        row, is_new = LintWanted.objects.get_or_create(key=wanted.key, moment=wanted.moment, defaults=place)
        if is_new:
            wake_refresh()
    return row


def wake_refresh() -> None:
    """Have a worker see to it, once this transaction is committed."""
    from brokerui.analysis.lint.tasks import lint_refresh  # noqa: PLC0415 - which calls this module

    wake_on_commit(lint_refresh)


def wanted_do() -> bool:
    """Look over what was asked for longest ago; False where nothing is left to do."""
    row = _taken()
    if row is None:
        return False
    wanted = Wanted.of_row(row)
    estate = wanted.estate()
    if estate is None:
        row.delete()
        return True
    at, begun = wanted.at(), time.perf_counter()
    findings, missing = lint(estate, at), missing_instances(estate, at)
    seconds = time.perf_counter() - begun
    run_write(wanted=wanted, at=at, findings=findings, missing=missing, seconds=seconds)
    return True


def _taken() -> LintWanted | None:
    """The next one, which nobody else takes now."""
    now = timezone.now()
    free = LintWanted.objects.filter(Q(begun_at=None) | Q(begun_at__lt=now - LAPSE))
    for row in free:
        if free.filter(id=row.id).update(begun_at=now):
            return row
    return None


def run_write(
    *, wanted: Wanted, at: datetime, findings: Sequence[Finding], missing: Sequence[str] = (), seconds: float = 0.0
) -> LintRun:
    """Keep what was found; what asked for it is answered."""
    found = [Found.of(finding) for finding in findings]
    counts = counted(found)
    run = LintRun(
        key=wanted.key,
        moment=wanted.moment,
        evaluated_at=at,
        seconds=seconds,
        errors=counts[ERROR],
        warnings=counts[WARNING],
        infos=counts[INFO],
        missing=list(missing),
    )
    rows = [_row(run, position, each) for position, each in enumerate(found)]
    with transaction.atomic():
        run.save()
        for row in rows:
            row.run_id = run.id
        LintFinding.objects.bulk_create(rows, batch_size=BATCH)
        LintWanted.objects.filter(key=wanted.key, moment=wanted.moment).delete()
    return run


def _row(run: LintRun, position: int, found: Found) -> LintFinding:
    return LintFinding(
        run=run,
        position=position,
        code=found.code,
        severity=found.severity,
        instance=found.instance,
        database=found.database,
        object=found.object,
        reason=found.packed_reason,
        remedy_sql=found.remedy_sql,
    )


def runs_prune() -> int:
    """Delete all but the newest look at each estate, and of those the oldest; so many looks are gone."""
    kept: set[tuple[str, str]] = set()
    gone = []
    live = estate_current().digest
    for run_id, key, moment in LintRun.objects.values_list("id", "key", "moment"):
        is_first = (key, moment) not in kept
        if is_first and (len(kept) < KEPT or key == live):
            kept.add((key, moment))
        else:
            gone.append(run_id)
    for run_id in gone:
        _delete(run_id)
    return len(gone)


def _delete(run_id: int) -> None:
    """In short transactions: nobody has to wait for all of it."""
    rows = LintFinding.objects.filter(run_id=run_id)
    until = BATCH
    while rows.exists():
        rows.filter(position__lt=until).delete()
        until += BATCH
    LintRun.objects.filter(id=run_id).delete()


@transaction.atomic
def suppression_add(
    *, findings: list[Found], owner: str, reason: str, expires: datetime, author: str
) -> list[Suppression]:
    """Somebody answers for these until then; who answered before no longer does."""
    now = timezone.now()
    written = []
    for found in findings:
        place: dict[str, Any] = {name: getattr(found, name) or "" for name in PLACE}
        told = {"owner": owner, "reason": reason, "expires": expires, "created_at": now, "author": author}
        row, _ = Suppression.objects.update_or_create(defaults=told, **place)
        written.append(row)
        _audit(author, "finding.suppress", row, f"{owner}: {reason}")
    return written


@transaction.atomic
def suppression_remove(*, suppression: Suppression, author: str) -> None:
    """The finding is told again."""
    _audit(author, "finding.unsuppress", suppression, suppression.reason)
    suppression.delete()


def _audit(author: str, action: str, row: Suppression, why: str) -> None:
    place = "/".join(part for part in (row.instance, row.database, row.object) if part)
    audit(author=author, action=action, note=f"{row.code} {place}: {why}")
