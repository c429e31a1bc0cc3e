"""DuckDB on the same tables as the jobs: one machine's honest alternative, which knows no rules.

It reads the files that the log of a lake names. It copies, joins and sums; to clean rows, to count those in quarantine,
and to find the answers of the rules is not its work.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import duckdb

from benchmarks.pipeline.traffic import PLACE
from pipeline.lake.lake import Lake
from pipeline.lake.tables import SILVER
from pipeline.schemas import COLUMNS

OUT = PLACE / "duckdb"
CORES = 2
_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)


def ingest(traffic: str, *, keep: bool) -> None:
    """Copy the rows of files to a folder for each day; unless `keep`, each row once."""
    once = "" if keep else "DISTINCT"
    _copy(f"SELECT {once} {_NAMES}, CAST(\"at\" AS DATE) AS day FROM '{traffic}/*.parquet'", ", PARTITION_BY (day)")


def count_by(lake: str, *columns: str) -> None:
    """Count the rows of a lake, and sum their messages and bytes, by these columns."""
    groups = f"SELECT {', '.join(columns)}, count(*), sum(messages), sum(bytes) FROM {_silver(lake)} GROUP BY ALL"
    _connection().execute(f"SELECT count(*) FROM ({groups})").fetchall()


def route(lake: str, answers: Path, sets: Path) -> None:
    """Write each row of a lake with the first answer to its class."""
    first = f"SELECT class, first(before) AS number FROM '{answers}/*.parquet' GROUP BY class"
    joined = f"{_silver(lake)} JOIN ({first}) USING (class) JOIN '{sets}/*.parquet' USING (number)"
    _copy(f"SELECT {_NAMES}, outcomes, verdict FROM {joined}")


def _silver(lake: str) -> str:
    files = ", ".join(f"'{file}'" for file in Lake(Path(lake)).files(SILVER))
    return f"read_parquet([{files}], hive_partitioning = false)"


def _copy(rows: str, more: str = "") -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    target = OUT / ("days" if more else "rows.parquet")
    _connection().execute(f"COPY ({rows}) TO '{target}' (FORMAT parquet, COMPRESSION zstd{more})")


def _connection() -> duckdb.DuckDBPyConnection:
    found = duckdb.connect()
    found.execute(f"SET threads = {CORES}; SET preserve_insertion_order = false")
    return found
