"""Write the moments at which the answers of classes change as a table for Spark."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from pipeline.evaluation.answer_history import AnswerHistory
from pipeline.files.location import Location
from pipeline.files.parquet import write_table
from pipeline.schemas import CHANGE_MOMENTS


def write_change_moments(histories: Mapping[int, AnswerHistory], folder: Location) -> bool:
    """Write a row for each class whose answer changes. Returns False if there is none."""
    rows = [
        {"class": number, "change_moments": history.change_moments}
        for number, history in histories.items()
        if history.change_moments
    ]
    write_table(pa.Table.from_pylist(rows, schema=CHANGE_MOMENTS), folder / "change_moments.parquet")
    return bool(rows)
