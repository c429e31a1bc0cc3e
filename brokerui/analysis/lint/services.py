"""Looking estates over in the background, and writing who answers for what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.lint.models import LintFinding, LintRun, Suppression
from brokerui.analysis.lint.stored_findings import StoredFinding, counted
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.requests import request
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import Changes, changes_of, values_of
from brokerui.estate.selectors import estate_current
from routing.common.finding import ERROR, INFO, WARNING, Finding

LINT = "lint"
"""The kind of background jobs that look estates over."""
KEPT = 8
"""Lint runs that are kept."""
PLACE = ("code", "instance", "database", "object")
AUDITED = ("owner", "reason", "expires")
BATCH = 2_000
"""Rows in one statement."""


def request_lint(target: EstateTarget) -> Job:
    """Have a worker look an estate over. Returns the open job, or the one that failed or was cancelled lately."""
    return request(LINT, f"{target.key} {target.moment}".strip(), target.as_payload())


def run_write(
    *,
    target: EstateTarget,
    at: datetime,
    findings: Sequence[Finding],
    missing: Sequence[str] = (),
    seconds: float = 0.0,
    hold: Callable[[], None] = lambda: None,
) -> LintRun:
    """Store the findings of a run. `hold` is called in the transaction; where it raises, nothing is stored."""
    found = [StoredFinding.of(finding) for finding in findings]
    counts = counted(found)
    run = LintRun(
        key=target.key,
        moment=target.moment,
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
        hold()
    return run


def _row(run: LintRun, position: int, found: StoredFinding) -> LintFinding:
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
    """Delete all but the newest run of each estate, and the oldest of those; returns the number of deleted runs."""
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
    *, findings: list[StoredFinding], owner: str, reason: str, expires: datetime, author: str
) -> list[Suppression]:
    """Have an owner answer for these until then, in place of the owner before."""
    now = timezone.now()
    written = []
    for found in findings:
        place: dict[str, Any] = {name: getattr(found, name) or "" for name in PLACE}
        values = {"owner": owner, "reason": reason, "expires": expires, "created_at": now, "author": author}
        known = Suppression.objects.filter(**place).values(*AUDITED).first()
        row, _ = Suppression.objects.update_or_create(defaults=values, **place)
        written.append(row)
        _audit(author, "finding.suppress", row, f"{owner}: {reason}", changes_of(known, values_of(row, *AUDITED)))
    return written


@transaction.atomic
def suppression_remove(*, suppression: Suppression, author: str) -> None:
    """The finding is reported again."""
    gone = changes_of(values_of(suppression, *AUDITED), None)
    _audit(author, "finding.unsuppress", suppression, suppression.reason, gone)
    suppression.delete()


def _audit(author: str, action: str, row: Suppression, why: str, changes: Changes) -> None:
    place = "/".join(part for part in (row.instance, row.database, row.object) if part)
    audit(author=author, action=action, note=f"{row.code} {place}: {why}", changes=changes)
