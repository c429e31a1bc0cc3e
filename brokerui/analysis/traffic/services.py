"""A result of the pipeline into the dashboard's database: whole, once, and never half."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from brokerui.analysis.traffic.gold import Gold, Row, read_gold
from brokerui.analysis.traffic.models import File, OfRun, Run
from brokerui.analysis.traffic.staging import columns_of, fill, move, staged
from brokerui.analysis.traffic.tables import TABLES

MINUTE = "minute"


_FILES = ("tables", "parts")
"""Fields of a record that name files; there may be thousands."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading."""

    run: Run
    is_new: bool
    """False: the same result was there."""
    rows: int
    dropped: int
    """Former runs that were let go."""


def gold_load(folder: str, *, is_generated: bool = False) -> Loaded:
    """The result in a folder into the database, in one transaction. Raises `InputError`, and has then written nothing.

    The same result again changes nothing. Of each job the last `RESULTS_KEEP` runs are kept; those of generated
    traffic are counted by themselves, so that they never push out what applications sent.
    """
    began = time.monotonic()
    gold = read_gold(folder)
    known = Run.objects.filter(digest=gold.digest).first()
    if known is not None:
        return Loaded(known, is_new=False, rows=0, dropped=0)
    with ExitStack() as stack:
        tables = {model: stack.enter_context(staged(model)) for model in _models(gold)}
        count = sum(_stage(gold, model, name) for model, name in tables.items())
        with transaction.atomic():
            run, is_new = Run.objects.get_or_create(
                digest=gold.digest, defaults=_about(gold, began, is_generated=is_generated)
            )
            if is_new:
                _publish(gold, run, tables)
            dropped = runs_prune(gold.job, is_generated=is_generated)
    return Loaded(run, is_new, count if is_new else 0, dropped)


def runs_prune(job: str, *, is_generated: bool) -> int:
    """Delete the oldest loaded runs of a job; return their number."""
    of_job = Run.objects.filter(job=job, is_generated=is_generated).order_by("-pk")
    old = of_job.exclude(pk__in=list(of_job.values_list("pk", flat=True)[: settings.RESULTS_KEEP]))
    count = old.count()
    old.delete()
    return count


def _models(gold: Gold) -> list[type[OfRun]]:
    found = {file.table for file in gold.files}
    return [model for table, model in TABLES.items() if table in found]


def _stage(gold: Gold, model: type[OfRun], name: str) -> int:
    table = next(table for table, each in TABLES.items() if each is model)
    return fill(name, model, _recent(gold, model, gold.rows(table, columns_of(model))))


def _recent(gold: Gold, model: type[OfRun], batches: Iterator[list[Row]]) -> Iterator[list[Row]]:
    """Without rows about minutes that are long past: those of hours say the same of them, and the files keep all."""
    columns = columns_of(model)
    if "span" not in columns or gold.last is None:
        yield from batches
        return
    span, since = columns.index("span"), columns.index("since")
    oldest = gold.last - timedelta(days=settings.RESULTS_MINUTES_DAYS)
    for batch in batches:
        yield [row for row in batch if row[span] != MINUTE or row[since] >= oldest]


def _about(gold: Gold, began: float, *, is_generated: bool) -> dict[str, object]:
    counts = gold.record["counts"]
    return {
        "job": gold.job,
        "is_generated": is_generated,
        "folder": gold.folder.lasting_name,
        "started_at": gold.started,
        "seconds": gold.record["seconds"],
        "rows_in": counts["in"],
        "rows_out": counts["out"],
        "quarantined": counts["quarantined"],
        "record": {key: value for key, value in gold.record.items() if key not in _FILES},
        "loaded_at": timezone.now(),
        "load_seconds": round(time.monotonic() - began, 3),
    }


def _publish(gold: Gold, run: Run, tables: dict[type[OfRun], str]) -> None:
    for model, name in tables.items():
        move(name, model, run.pk)
    File.objects.bulk_create(
        File(run=run, table=file.table, path=file.path, rows=file.rows, bytes=file.bytes, sha256=file.sha256)
        for file in gold.files
    )
