"""`pipeline lake vacuum`: remove files of a lake that only old versions name."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from pipeline.lake.lake import existing_lake
from pipeline.lake.new_run import lake_for_writing
from pipeline.lake.vacuum import former_files, remove
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings, start_for_urls

LONGEST_DAYS: Final = 36_500


@dataclass(frozen=True, slots=True)
class VacuumOptions:
    """Options of `lake vacuum`."""

    lake: str
    retention_days: int = 7
    """The time for which versions stay readable."""
    dry_run: bool = False


def vacuum_lake(options: VacuumOptions, settings: SparkSettings) -> JobRun:
    """Remove the files that no version of this time names; with `dry_run` only list them."""
    run = JobRun("vacuum", asdict(options))
    start_for_urls(settings, options.lake)
    lake, kept_for = existing_lake(options.lake), timedelta(days=min(options.retention_days, LONGEST_DAYS))
    found = former_files(lake.root, datetime.now(UTC) - kept_for)
    if options.dry_run:
        run.summary_lines = [file.path for file in found]
    else:
        with lake_for_writing(options.lake):
            remove(lake.root, found)
    run.counts = {"files": len(found), "bytes": sum(file.bytes for file in found)}
    return run
