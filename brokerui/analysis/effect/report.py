"""The complete comparison of a change, as `brokerui diff` gives it: made by a request where that is quick, else by a
worker, which keeps its text for all processes."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from django.db import transaction
from django.utils import timezone

from brokerui.analysis.effect import effect as effects
from brokerui.analysis.effect.background import payload_of, since_of
from brokerui.analysis.effect.change import Change
from brokerui.analysis.effect.comparison import indexed
from brokerui.analysis.effect.diff_report import DiffReport, framed, groups_as_json, report_as_json, rows_as_json
from brokerui.analysis.effect.models import KeptReport
from brokerui.analysis.effect.weights import latest_run, weights_by_class
from brokerui.core.cache import LruCache
from brokerui.core.jobs.errors import JobFailedError
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.requests import request
from routing.diff.result import Differential
from routing.diff.run import compare

REPORT = "report"
"""The kind of background jobs that write complete comparisons."""
MAX_ROWS = 100_000
MOST_GROUPS = 500_000
"""Groups of a report at the most: a few hundred megabytes of JSON, and as much memory of a worker."""
KEPT = 8
"""Reports that are kept: one of a large estate has some ten megabytes."""
IN_MEMORY = 4
LEVEL = 3
"""A little larger than at 9, in a fraction of the time."""
PIECE_BYTES = 64 * 1024
"""Compressed bytes that are read at once."""
_differentials: LruCache[Differential] = LruCache(IN_MEMORY)


class ReportUnfinishedError(Exception):
    """A worker writes the report."""

    def __init__(self, job: Job) -> None:
        super().__init__(str(job))
        self.job = job


def report_of(change: Change, at: datetime, limit: int, **more: object) -> Iterator[str]:
    """Return the pieces of its JSON object. Raises `ReportUnfinishedError` until a worker has written it."""
    effect = effects.effect_of(change, at)
    effect.work(effects.QUICK_S if effect.worked_s < effects.QUICK_S else 0)
    if effect.is_quick:
        made = partial(compare, indexed(change.before), change.after.estate, at)
        comparison = _differentials.get_or_make((*change.digests, since_of(change, at)), made)
        weights = weights_by_class(effect.vocabulary())
        return report_as_json(DiffReport(comparison, weights, limit, change.after.estate, at), **more)
    kept = KeptReport.objects.filter(**_key(change, at)).first()
    if kept is None:
        raise ReportUnfinishedError(request_report(change, at))
    rows = islice(_lines(_read(bytes(kept.rows))), limit)
    return framed(rows, _read(bytes(kept.groups)), kept.classes, is_cut=kept.changed > limit, **more)


def request_report(change: Change, at: datetime) -> Job:
    """Have a worker write it. Returns the open job, or the one that failed or was cancelled lately."""
    key = " ".join(map(str, _key(change, at).values()))
    return request(REPORT, key, payload_of(change, at))


def report_keep(
    change: Change, at: datetime, on_progress: Callable[[int, int], None], hold: Callable[[], None]
) -> None:
    """Compare, and write the text; `hold` keeps the claim of the job in the same transaction."""
    begun, key = time.perf_counter(), _key(change, at)
    base = indexed(change.before)

    def progress(done: int, total: int, groups: int) -> None:
        if groups > MOST_GROUPS:
            message = f"more than {MOST_GROUPS:,} groups of conversations change; brokerui diff writes them all"
            raise JobFailedError(message)
        on_progress(done, total)

    comparison = compare(base, change.after.estate, at, progress)
    weights = weights_by_class(base.vocabulary_with(change.after.estate))
    report = DiffReport(comparison, weights, MAX_ROWS, change.after.estate, at)
    values = {
        "rows": _written(f"{row}\n" for row in rows_as_json(report)),
        "groups": _written(groups_as_json(report)),
        "classes": comparison.classes,
        "changed": report.changed,
        "finished_at": timezone.now(),
        "seconds": time.perf_counter() - begun,
    }
    with transaction.atomic():
        KeptReport.objects.update_or_create(defaults=values, **key)
        hold()


def reports_prune() -> int:
    """Delete all kept reports but the newest; return how many."""
    kept = list(KeptReport.objects.order_by("-finished_at").values_list("id", flat=True)[:KEPT])
    return KeptReport.objects.exclude(id__in=kept).delete()[0]


def _key(change: Change, at: datetime) -> dict[str, Any]:
    """Return what tells a report from others: its messages are those of the newest result of the pipeline."""
    before, after = change.digests
    run = latest_run()
    return {"before": before, "after": after, "since": since_of(change, at), "traffic": run.id if run else 0}


def _written(texts: Iterable[str]) -> bytes:
    packer = zlib.compressobj(LEVEL)
    return b"".join([*(packer.compress(text.encode()) for text in texts), packer.flush()])


def _read(data: bytes) -> Iterator[str]:
    """Yield the text in pieces that end with a line."""
    unpacker, rest = zlib.decompressobj(), b""
    for start in range(0, len(data), PIECE_BYTES):
        piece = rest + unpacker.decompress(data[start : start + PIECE_BYTES])
        whole, line_end, rest = piece.rpartition(b"\n")
        yield (whole + line_end).decode()
    yield (rest + unpacker.flush()).decode()


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of pieces that end with a line."""
    return (line for text in texts for line in text.splitlines() if line)


def forget_reports() -> None:
    """Forget the comparisons in memory."""
    _differentials.clear()
