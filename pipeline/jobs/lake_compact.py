"""`pipeline lake compact`: write the small files of each day of a lake as fewer, larger ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from pipeline.lake.compaction import Compaction, FileGroup, compact, small_files
from pipeline.lake.lake import Lake, existing_lake
from pipeline.lake.new_run import NewRun, lake_for_writing, new_run
from pipeline.lake.tables import SILVER
from pipeline.results.output_folder import write_rows
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from pipeline.transforms.day_partition import DAY

MEGABYTE: Final = 1 << 20
AT_ONCE: Final = 64
"""Groups that one job of Spark writes: a plan of more takes long to make."""


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
    """Write each group by one task, so that it becomes one file, in the order of time as a log is."""
    for some in _in_parts(groups):
        tables = [_one(spark, new.lake, group) for group in some]
        write_rows(reduce(DataFrame.unionAll, tables), new.table(SILVER), DAY)


def _one(spark: SparkSession, lake: Lake, group: FileGroup) -> DataFrame:
    return lake.rows_of(spark, group.files).coalesce(1).sortWithinPartitions("at")


def _in_parts(groups: Sequence[FileGroup]) -> Iterator[Sequence[FileGroup]]:
    for first in range(0, len(groups), AT_ONCE):
        yield groups[first : first + AT_ONCE]
