"""`pipeline lake compact`: write the small files of each day of a lake as fewer, larger ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from pyspark.sql import SparkSession

from pipeline.lake.compaction import Compaction, FileGroup, compact, small_files
from pipeline.lake.lake import existing_lake
from pipeline.lake.new_run import NewRun, lake_for_writing, new_run
from pipeline.lake.tables import SILVER
from pipeline.results.grouped_rows import write_groups
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from pipeline.transforms.day_partition import DAY

MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class CompactOptions:
    """Options of `lake compact`."""

    lake: str
    megabytes: int = 128
    """The size of the files that it wants to write."""


def compact_lake(options: CompactOptions, settings: SparkSettings) -> JobRun:
    """Write small files as larger ones, all in one commit; nothing where there are none."""
    run = JobRun("compact", asdict(options))
    start_for_urls(settings, options.lake)
    existing_lake(options.lake)
    with lake_for_writing(options.lake) as lake, new_run(lake) as new:
        groups = small_files(new.state, options.megabytes * MEGABYTE)
        run.end_phase("plan")
        if not groups:
            run.counts = Compaction([], []).counts()
            return run
        spark = spark_session(settings)
        run.end_phase("start")
        compact(new, groups, lambda new, groups: _write(spark, new, groups), lambda found: _record(run, found))
    return run


def _record(run: JobRun, found: Compaction) -> dict[str, Any]:
    run.counts = found.counts()
    run.end_phase("files")
    return run.as_json()


def _write(spark: SparkSession, new: NewRun, groups: Sequence[FileGroup]) -> None:
    """Write each group as one file, in the order of time as a log is."""
    write_groups(groups, lambda group: new.lake.rows_of(spark, group.files), ["at"], new.table(SILVER), DAY)
