"""The tables of a lake. `silver` is a Delta table; the others stand beside it, in a folder for each run."""

from __future__ import annotations

from typing import Final

from pyspark.sql import types as T

from pipeline.delta.table import DeltaLog
from pipeline.files.location import Location
from pipeline.schemas import KEY_COLUMNS, TRAFFIC
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.day_partition import DAY

BRONZE, SILVER, SUMS, CLASSES, QUARANTINE = "bronze", "silver", "sums", "classes", "_quarantine"
TABLES = (BRONZE, SILVER, SUMS, CLASSES, QUARANTINE)
SILVER_TYPE: Final = T.StructType(
    [*TRAFFIC.fields, T.StructField(CLASS, T.LongType()), T.StructField(DAY, T.DateType())]
)
CLASSES_TYPE: Final = T.StructType([*(TRAFFIC[key] for key in KEY_COLUMNS), T.StructField(CLASS, T.LongType())])


def silver_log(root: Location) -> DeltaLog:
    """Return the log of the clean rows, which says of all tables which runs count."""
    return DeltaLog(root / SILVER, SILVER_TYPE, (DAY,))
