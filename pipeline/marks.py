"""The moments at which the answers of classes change, as tables for Spark."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.courses import Course
from pipeline.schemas import DIVIDED, MARKS


def write_marks(courses: Mapping[int, Course], folder: Path) -> bool:
    """Of the classes for which anything changes; whether there is one."""
    rows = [{"class": number, "marks": course.marks} for number, course in courses.items() if course.marks]
    _write(rows, MARKS, folder)
    return bool(rows)


def write_divided(divided: Mapping[int, Collection[date]], courses: Mapping[int, Course], folder: Path) -> None:
    """Of the classes whose rows have to be looked at on some days."""
    rows = [{"class": number, "marks": courses[number].marks, "days": sorted(days)} for number, days in divided.items()]
    _write(rows, DIVIDED, folder)


def _write(rows: list[dict[str, object]], schema: pa.Schema, folder: Path) -> None:
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / "part.parquet")
