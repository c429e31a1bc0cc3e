"""Convert raw rows to rows of the traffic table, each with the reason if it is rejected.

Raw rows have every column of the table, null if the file has none, in the type of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pipeline.schemas import COLUMNS, KEY_COLUMNS, MAX_COUNT, MAX_NAME_LENGTHS, TRAFFIC
from pipeline.transforms.classification import NO_NAME, class_number

REQUIRED = tuple(field.name for field in TRAFFIC if not field.nullable and field.name != "is_reply")
_NAMES = (*MAX_NAME_LENGTHS, "to_broker_instance")
PLACE = ("_file", "_block", "_row", "_raw")
"""Columns with the place of a row, its file first; `_fault` is a reason from parsing its line."""
REASON, CLASS = "_reason", "class"
_KNOWN = "_known"

# \z is the end of the text: $ would accept a line feed after it.
_MOMENT_PATTERN = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?\z"
)
_GUID_PATTERN = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\z"
_IN_BRACES = r"^[{](.{36})[}]\z"
_COUNT_PATTERN = r"^[0-9]{1,18}\z"
_TRUE, _FALSE = ("true", "1"), ("false", "0")
# The range of the type datetime.
_FIRST, _LAST = "1753-01-01 00:00:00", "9999-12-31 23:59:59.999999"


def clean(raw: DataFrame, known: DataFrame | None = None) -> DataFrame:
    """Return the typed columns of the table, `class`, the place of each row, and `_reason`.

    `known`: classes whose names have been checked; checking them costs as much as reading them.
    """
    classed = _typed_rows(raw, COLUMNS, *PLACE, "_fault")
    if known is None:
        return classed.select(*COLUMNS, CLASS, *PLACE, reason(F.lit(False)).alias(REASON))
    marked = classed.join(F.broadcast(known.select(CLASS, F.lit(True).alias(_KNOWN))), CLASS, "left")
    return marked.select(*COLUMNS, CLASS, *PLACE, reason(F.col(_KNOWN).isNotNull()).alias(REASON))


def valid_keys(keys: DataFrame) -> DataFrame:
    """Return the distinct valid keys, typed, with their classes."""
    classed = _typed_rows(keys, KEY_COLUMNS)
    return classed.where(_first_fault(KEY_COLUMNS, F.lit(False)).isNull()).select(*KEY_COLUMNS, CLASS).dropDuplicates()


def _typed_rows(raw: DataFrame, columns: Sequence[str], *rest: str) -> DataFrame:
    """Convert the columns; add `_had_…` for each (whether the raw value was not null), and the class."""
    types = {field.name: field.dataType for field in raw.schema}
    return raw.select(
        *(_CONVERTERS[name](F.col(name), types[name]).alias(name) for name in columns),
        *(F.col(name).isNotNull().alias(f"_had_{name}") for name in columns),
        *rest,
    ).withColumn(CLASS, class_number())


def valid_rows(cleaned: DataFrame) -> DataFrame:
    """Return the valid rows. Their schema tells Spark which columns are never null."""
    return valid_rows_as_stored(cleaned).withColumns(
        {field.name: F.coalesce(field.name, F.lit(0).cast(field.dataType)) for field in TRAFFIC if not field.nullable}
    )


def valid_rows_as_stored(cleaned: DataFrame) -> DataFrame:
    """Return the valid rows with plain columns, so that Spark can push filters down to the files."""
    return cleaned.where(F.col(REASON).isNull())


def reason(is_known: Column) -> Column:
    """Return the first reason for rejecting a row; null if it is valid."""
    return F.coalesce("_fault", _first_fault(COLUMNS, is_known))


def _first_fault(columns: Sequence[str], is_known: Column) -> Column:
    faults = [(~F.col(f"_had_{name}"), F.lit(f"no_{name}")) for name in REQUIRED if name in columns]
    faults += [(F.col(f"_had_{name}") & _is_bad(name, is_known), F.lit(f"bad_{name}")) for name in columns]
    first = reduce(lambda chain, fault: chain.when(*fault), faults[1:], F.when(*faults[0]))
    return first.otherwise(F.lit(None).cast("string"))


def _is_bad(name: str, is_known: Column) -> Column:
    """Return whether the value could not be converted (then it is null), or is no valid name."""
    column = F.col(name)
    if name in KEY_COLUMNS and name in _NAMES:
        # NO_NAME as a name would give the class of a NULL.
        return column.isNull() | (column == NO_NAME) | (~is_known & _is_no_name(name))
    return column.isNull() | _is_no_name(name) if name in _NAMES else column.isNull()


def _is_no_name(name: str) -> Column:
    column = F.col(name)
    if name == "to_broker_instance":
        return ~column.rlike(_GUID_PATTERN)
    # Most names are short in bytes already: then their characters need not be counted.
    too_long = (F.octet_length(column) > MAX_NAME_LENGTHS[name]) & (F.char_length(column) > MAX_NAME_LENGTHS[name])
    found = too_long | column.contains(NO_NAME) | ~F.is_valid_utf8(column)
    return found | (column == "") if name in ("to_service", "from_service", "conversation_id") else found


def text_of(column: Column, given: T.DataType) -> Column:
    """Convert to text unchanged: names compare byte by byte."""
    if isinstance(given, (T.StructType, T.ArrayType, T.MapType, T.VariantType)):
        return F.lit(None).cast("string")
    return column.cast("string")


def moment_of(column: Column, given: T.DataType) -> Column:
    """Convert to a timestamp; without an offset it is UTC."""
    if isinstance(given, T.StringType):
        found = F.when(column.rlike(_MOMENT_PATTERN), column.try_cast("timestamp"))
    elif isinstance(given, (T.TimestampType, T.TimestampNTZType, T.DateType)):
        found = column.cast("timestamp")
    else:
        return F.lit(None).cast("timestamp")
    return F.when(found.between(F.lit(_FIRST).cast("timestamp"), F.lit(_LAST).cast("timestamp")), found)


def _identifier(column: Column, given: T.DataType) -> Column:
    """Convert a GUID to lower case without braces; `_is_no_name` checks it."""
    text = text_of(column, given)
    return F.lower(F.when(F.octet_length(text) == 38, F.regexp_extract(text, _IN_BRACES, 1)).otherwise(text))


def _flag(column: Column, given: T.DataType) -> Column:
    """Convert to a boolean; null is false."""
    if isinstance(given, T.BooleanType):
        return F.coalesce(column, F.lit(False))
    text = F.lower(text_of(column, given))
    value = F.when(text.isin(*_TRUE), F.lit(True)).when(text.isin(*_FALSE), F.lit(False))
    return F.when(column.isNull(), F.lit(False)).otherwise(value)


def _count(column: Column, given: T.DataType) -> Column:
    """Convert to a whole number, also from a float column, as pandas writes it when values are missing."""
    if isinstance(given, T.StringType):
        number = F.when(column.rlike(_COUNT_PATTERN), column.try_cast("long"))
    elif isinstance(given, T.IntegralType):
        number = column.cast("long")
    elif isinstance(given, T.NumericType):
        number = F.when(column == F.floor(column), column.try_cast("long"))
    else:
        return F.lit(None).cast("long")
    return F.when(number.between(0, MAX_COUNT), number)


_CONVERTERS: dict[str, Callable[[Column, T.DataType], Column]] = {
    **dict.fromkeys(MAX_NAME_LENGTHS, text_of),
    "at": moment_of,
    "to_broker_instance": _identifier,
    "is_reply": _flag,
    "messages": _count,
    "bytes": _count,
}
