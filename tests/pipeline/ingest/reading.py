"""Files of traffic as `ingest` and `route` read them, without a job: what becomes rows, and what fits nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.files.file_system import folder_of
from pipeline.files.location import location
from pipeline.inputs.files import examine_files, files_below
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.reader import TRAFFIC_FORMAT, as_quarantine_rows, count_rows, read_files
from pipeline.schemas import COLUMNS
from pipeline.transforms.cleaning import REASON, valid_rows

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The rows of a folder."""

    seen: int
    """As many as the job counts before it reads them."""
    good: list[Json]
    rejected: list[tuple[str, int | None, str, str | None]]
    """File, place in it, reason and the row itself."""

    @property
    def counts(self) -> dict[str, int]:
        return {"in": self.seen, "out": len(self.good), "quarantined": len(self.rejected)}

    @property
    def reasons(self) -> Counter[str]:
        return Counter(reason for _, _, reason, _ in self.rejected)

    @property
    def places(self) -> set[tuple[str, int | None, str]]:
        return {(file, position, reason) for file, position, reason, _ in self.rejected}


def read_traffic(spark: SparkSession, folder: str, work: Path, *, dates: str = "") -> ReadRows:
    """Read all files below a folder, which may be a URL; copies of texts go below `work`."""
    root = folder_of(folder)
    files = prepared_files(examine_files(files_below(folder)), root, location(str(work)))
    source = read_files(spark, files, root, folder, replace(TRAFFIC_FORMAT, dates=dates))
    placed = source.placed().persist()
    good = valid_rows(placed).select(*COLUMNS).toArrow().to_pylist()
    odd = as_quarantine_rows(source, placed.where(F.col(REASON).isNotNull())).toArrow().to_pylist()
    placed.unpersist()
    rejected = [(one["file"], one["position"], one["reason"], one["raw"]) for one in odd]
    faults = [(file, None, reason, None) for file, reason in source.faults]
    return ReadRows(count_rows(source), good, [*rejected, *faults])
