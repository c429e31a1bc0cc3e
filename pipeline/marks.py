"""The moments at which the answers of classes change, as a table for Spark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.courses import Course
from pipeline.schemas import MARKS


def write_marks(courses: Mapping[int, Course], folder: Path) -> bool:
    """Of the classes for which anything changes; whether there is one."""
    rows = [{"class": number, "marks": course.marks} for number, course in courses.items() if course.marks]
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=MARKS), folder / "marks.parquet")
    return bool(rows)
