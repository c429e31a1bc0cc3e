"""Convert raw rows of an event log to rows of the table of events, each with the reason if it is rejected."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pipeline.schemas import EVENT
from pipeline.transforms.cleaning import PLACE, REASON, moment_of, text_of
from pipeline.transforms.duplicates import DUPLICATE, ROW_HASH, repeated_hashes

EVENT_KEY = ("source", "position")
"""The unique key of an event."""
FILE = "file"
"""The column of the file that an event is from, as a URI."""
EVENT_OF_FILE = T.StructType([*EVENT.fields, T.StructField(FILE, T.StringType())])
"""An event with its file."""
MAX_TEXT_BYTES = 1 << 16
"""Longest text; error messages of connections are the longest."""
_NUMBER = "_number"
_WHOLE_NUMBER = r"^-?[0-9]{1,18}\z"


def clean_events(raw: DataFrame) -> DataFrame:
    """Return the typed columns of the table, the place of each row, and `_reason`."""
    types = {field.name: field.dataType for field in raw.schema}
    typed = raw.select(
        *(_converted(F.col(field.name), types[field.name], field.dataType).alias(field.name) for field in EVENT),
        *(F.col(field.name).isNotNull().alias(f"_had_{field.name}") for field in EVENT),
        *PLACE,
        "_fault",
        F.monotonically_increasing_id().alias("_apart"),
    )
    # The filter on a non-deterministic column keeps Spark from copying each conversion into every expression that
    # uses it, which would take minutes to plan.
    return typed.where("_apart >= 0").select(*EVENT.names, *PLACE, _reason().alias(REASON))


def has_duplicates(rows: DataFrame) -> bool:
    """Return whether an event key may occur twice, by hashes of the keys: comparing rows would shuffle them all."""
    names = rows.select(*EVENT_KEY).dropna().select(F.xxhash64(*EVENT_KEY).alias(ROW_HASH))
    return not repeated_hashes(names).isEmpty()


def deduplicated_events(good: DataFrame) -> DataFrame:
    """Return the first row of each event key."""
    return first_events(good).select(*EVENT.names)


def first_events(good: DataFrame) -> DataFrame:
    """Return the first row of each event key, with its place."""
    return _numbered(good).where(F.col(_NUMBER) == 1).drop(_NUMBER)


def with_file(good: DataFrame) -> DataFrame:
    """Return the columns of events, and the file of each."""
    return good.select(*EVENT.names, F.col("_file").alias(FILE))


def duplicate_events(good: DataFrame) -> DataFrame:
    """Return all rows but the first of each event key."""
    return _numbered(good).where(F.col(_NUMBER) > 1).drop(_NUMBER).withColumn(REASON, F.lit(DUPLICATE))


def _numbered(good: DataFrame) -> DataFrame:
    return good.withColumn(
        _NUMBER, F.row_number().over(Window.partitionBy(*EVENT_KEY).orderBy("_file", "_block", "_row"))
    )


def _reason() -> Column:
    faults = [(F.col("_fault").isNotNull(), F.col("_fault"))]
    for field in EVENT:
        had, column = F.col(f"_had_{field.name}"), F.col(field.name)
        if not field.nullable:
            faults.append((~had, F.lit(f"no_{field.name}")))
        faults.append((had & column.isNull(), F.lit(f"bad_{field.name}")))
    first = reduce(lambda chain, fault: chain.when(*fault), faults[1:], F.when(*faults[0]))
    return first.otherwise(F.lit(None).cast("string"))


def _converted(column: Column, given: T.DataType, wanted: T.DataType) -> Column:
    if isinstance(wanted, T.TimestampType):
        return moment_of(column, given)
    if isinstance(wanted, T.StringType):
        text = text_of(column, given)
        return F.when((F.octet_length(text) <= MAX_TEXT_BYTES) & F.is_valid_utf8(text), text)
    if isinstance(wanted, T.BooleanType):
        return _flag(column, given)
    return _whole(column, given).try_cast(wanted)


def _flag(column: Column, given: T.DataType) -> Column:
    if isinstance(given, T.BooleanType):
        return column
    text = F.lower(text_of(column, given))
    return F.when(text.isin("true", "1"), F.lit(True)).when(text.isin("false", "0"), F.lit(False))


def _whole(column: Column, given: T.DataType) -> Column:
    if isinstance(given, T.StringType):
        return F.when(column.rlike(_WHOLE_NUMBER), column.try_cast("long"))
    if isinstance(given, T.NumericType):
        return F.when(column == F.floor(column), column.try_cast("long"))
    return F.lit(None).cast("long")
