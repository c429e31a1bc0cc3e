"""Rows of an event log as they came to rows of the table of events, each with the reason why it is none, or null."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pipeline.schemas import EVENT
from pipeline.transforms.cleaning import PLACE, REASON, moment_of, text_of
from pipeline.transforms.doubles import DUPLICATE, MARK, repeated

NAME = ("source", "position")
"""What names a row of the log for ever."""
LONGEST = 1 << 16
"""Bytes of a text: the longest is what a connection failed with."""
_NUMBER = "_number"
_WHOLE = r"^-?[0-9]{1,18}\z"


def clean_events(raw: DataFrame) -> DataFrame:
    """The columns of the table typed, where each row came from, and `_reason`."""
    types = {field.name: field.dataType for field in raw.schema}
    typed = raw.select(
        *(_read(F.col(field.name), types[field.name], field.dataType).alias(field.name) for field in EVENT),
        *(F.col(field.name).isNotNull().alias(f"_had_{field.name}") for field in EVENT),
        *PLACE,
        "_fault",
        F.monotonically_increasing_id().alias("_apart"),
    )
    # Nothing passes what is counted: else Spark would write the reading of each column into each place that names it,
    # and plan for minutes.
    return typed.where("_apart >= 0").select(*EVENT.names, *PLACE, _reason().alias(REASON))


def are_copied(rows: DataFrame) -> bool:
    """Whether a name may be there twice: few bytes of each row are looked at, where to compare rows moves them all."""
    names = rows.select(*NAME).dropna().select(F.xxhash64(*NAME).alias(MARK))
    return not repeated(names).isEmpty()


def each_once(good: DataFrame) -> DataFrame:
    """The rows of a log, which may have been copied: of one name, the first."""
    return _numbered(good).where(F.col(_NUMBER) == 1).select(*EVENT.names)


def copies(good: DataFrame) -> DataFrame:
    """All but the first of the rows of one name."""
    return _numbered(good).where(F.col(_NUMBER) > 1).drop(_NUMBER).withColumn(REASON, F.lit(DUPLICATE))


def _numbered(good: DataFrame) -> DataFrame:
    return good.withColumn(_NUMBER, F.row_number().over(Window.partitionBy(*NAME).orderBy("_file", "_block", "_row")))


def _reason() -> Column:
    faults = [(F.col("_fault").isNotNull(), F.col("_fault"))]
    for field in EVENT:
        had, column = F.col(f"_had_{field.name}"), F.col(field.name)
        if not field.nullable:
            faults.append((~had, F.lit(f"no_{field.name}")))
        faults.append((had & column.isNull(), F.lit(f"bad_{field.name}")))
    first = reduce(lambda chain, fault: chain.when(*fault), faults[1:], F.when(*faults[0]))
    return first.otherwise(F.lit(None).cast("string"))


def _read(column: Column, given: T.DataType, wanted: T.DataType) -> Column:
    if isinstance(wanted, T.TimestampType):
        return moment_of(column, given)
    if isinstance(wanted, T.StringType):
        text = text_of(column, given)
        return F.when((F.octet_length(text) <= LONGEST) & F.is_valid_utf8(text), text)
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
        return F.when(column.rlike(_WHOLE), column.try_cast("long"))
    if isinstance(given, T.NumericType):
        return F.when(column == F.floor(column), column.try_cast("long"))
    return F.lit(None).cast("long")
