"""Tables from values of the driver, for machines that compute without a Python."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def columns_of(text: str) -> StructType:
    """Return the columns that a text names with their types."""
    found = StructType.fromDDL(text)
    assert isinstance(found, StructType)
    return found


def local_table(spark: SparkSession, rows: Iterable[tuple[object, ...]], columns: StructType | str) -> DataFrame:
    """Make a table of these rows.

    From tuples, Spark makes one with a Python in an executor, which need not have the Python of the driver; from Arrow
    it needs none.
    """
    schema = columns_of(columns) if isinstance(columns, str) else columns
    types = to_arrow_schema(schema, timezone="UTC")
    cells = list(zip(*rows, strict=True)) or [()] * len(types)
    arrays = [pa.array(column, type=field.type) for column, field in zip(cells, types, strict=True)]
    found: DataFrame = spark.createDataFrame(pa.Table.from_arrays(arrays, schema=types), schema)
    return found
