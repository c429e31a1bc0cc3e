"""Clean rows as silver keeps them: by day."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

DAY = "day"
_SECONDS_A_DAY = 86_400


def filed(rows: DataFrame) -> DataFrame:
    """The rows with `day`."""
    return rows.withColumn(DAY, day_of(F.col("at")))


def day_of(at: Column) -> Column:
    """The day in UTC, without asking a calendar for each row."""
    return F.date_from_unix_date(F.floor(F.unix_seconds(at) / _SECONDS_A_DAY).cast("int"))
