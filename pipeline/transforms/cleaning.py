"""Rows as they came to rows of the traffic table, each with the reason why it is none, or null.

What comes in has every column of the table, null where the file has none, of whatever type the file gave it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pipeline.schemas import COLUMNS, KEYS, LARGEST, LONGEST, TRAFFIC
from pipeline.transforms.classing import NO_NAME, class_of_keys

REQUIRED = tuple(field.name for field in TRAFFIC if not field.nullable and field.name != "is_reply")
_NAMES = (*LONGEST, "to_broker_instance")
PLACE = ("_file", "_block", "_row", "_raw")
"""Where a row came from, beside its columns; `_fault` says what was wrong before it had columns."""
REASON, CLASS = "_reason", "class"
_KNOWN = "_known"

# The end of the text is \z: a dollar would let a line feed pass.
_MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?\z"
)
_GUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\z"
_IN_BRACES = r"^[{](.{36})[}]\z"
_COUNT = r"^[0-9]{1,18}\z"
_TRUE, _FALSE = ("true", "1"), ("false", "0")
# The first day of the product's datetime, and the last one.
_FIRST, _LAST = "1753-01-01 00:00:00", "9999-12-31 23:59:59.999999"


def clean(raw: DataFrame, known: DataFrame | None = None) -> DataFrame:
    """The columns of the table typed, `class`, where each row came from, and `_reason`.

    `known`: classes (`class`) whose names were looked at before, which costs as much as to read them.
    """
    classed = _typed(raw, COLUMNS, *PLACE, "_fault")
    if known is None:
        return classed.select(*COLUMNS, CLASS, *PLACE, reason(F.lit(False)).alias(REASON))
    marked = classed.join(F.broadcast(known.select(CLASS, F.lit(True).alias(_KNOWN))), CLASS, "left")
    return marked.select(*COLUMNS, CLASS, *PLACE, reason(F.col(_KNOWN).isNotNull()).alias(REASON))


def named(keys: DataFrame) -> DataFrame:
    """Of keys as they came those that are names, typed, each once with its class."""
    classed = _typed(keys, KEYS)
    return classed.where(_first_fault(KEYS, F.lit(False)).isNull()).select(*KEYS, CLASS).dropDuplicates()


def _typed(raw: DataFrame, columns: Sequence[str], *rest: str) -> DataFrame:
    """With what each column had, and the class."""
    types = {field.name: field.dataType for field in raw.schema}
    return raw.select(
        *(_READERS[name](F.col(name), types[name]).alias(name) for name in columns),
        *(F.col(name).isNotNull().alias(f"_had_{name}") for name in columns),
        *rest,
    ).withColumn(CLASS, class_of_keys())


def good(cleaned: DataFrame) -> DataFrame:
    """The rows with which nothing is wrong. Which columns hold no NULL is known by their schema, and in their files."""
    return unwrapped(cleaned).withColumns(
        {field.name: F.coalesce(field.name, F.lit(0).cast(field.dataType)) for field in TRAFFIC if not field.nullable}
    )


def unwrapped(cleaned: DataFrame) -> DataFrame:
    """The same rows with columns as they are, about which Spark can ask the files themselves."""
    return cleaned.where(F.col(REASON).isNull())


def reason(is_known: Column) -> Column:
    """The first thing that is wrong with a row; null: nothing."""
    return F.coalesce("_fault", _first_fault(COLUMNS, is_known))


def _first_fault(columns: Sequence[str], is_known: Column) -> Column:
    faults = [(~F.col(f"_had_{name}"), F.lit(f"no_{name}")) for name in REQUIRED if name in columns]
    faults += [(F.col(f"_had_{name}") & _is_bad(name, is_known), F.lit(f"bad_{name}")) for name in columns]
    first = reduce(lambda chain, fault: chain.when(*fault), faults[1:], F.when(*faults[0]))
    return first.otherwise(F.lit(None).cast("string"))


def _is_bad(name: str, is_known: Column) -> Column:
    """Whether what a column had could not be read (null by now), or is no name."""
    column = F.col(name)
    if name in KEYS and name in _NAMES:
        # What stands for a NULL makes the class of one.
        return column.isNull() | (column == NO_NAME) | (~is_known & _is_no_name(name))
    return column.isNull() | _is_no_name(name) if name in _NAMES else column.isNull()


def _is_no_name(name: str) -> Column:
    column = F.col(name)
    if name == "to_broker_instance":
        return ~column.rlike(_GUID)
    # Nearly all names are short in bytes, which need not be counted.
    too_long = (F.octet_length(column) > LONGEST[name]) & (F.char_length(column) > LONGEST[name])
    found = too_long | column.contains(NO_NAME) | ~F.is_valid_utf8(column)
    return found | (column == "") if name in ("to_service", "from_service", "conversation_id") else found


def text_of(column: Column, given: T.DataType) -> Column:
    """Names stay as they are: they compare byte by byte."""
    if isinstance(given, (T.StructType, T.ArrayType, T.MapType, T.VariantType)):
        return F.lit(None).cast("string")
    return column.cast("string")


def moment_of(column: Column, given: T.DataType) -> Column:
    """UTC, also where it says no offset."""
    if isinstance(given, T.StringType):
        found = F.when(column.rlike(_MOMENT), column.try_cast("timestamp"))
    elif isinstance(given, (T.TimestampType, T.TimestampNTZType, T.DateType)):
        found = column.cast("timestamp")
    else:
        return F.lit(None).cast("timestamp")
    return F.when(found.between(F.lit(_FIRST).cast("timestamp"), F.lit(_LAST).cast("timestamp")), found)


def _identifier(column: Column, given: T.DataType) -> Column:
    """Lower case, without braces; whether it is one is another question."""
    text = text_of(column, given)
    return F.lower(F.when(F.octet_length(text) == 38, F.regexp_extract(text, _IN_BRACES, 1)).otherwise(text))


def _flag(column: Column, given: T.DataType) -> Column:
    """Whether it is a reply; where nothing says so, it is none."""
    if isinstance(given, T.BooleanType):
        return F.coalesce(column, F.lit(False))
    text = F.lower(text_of(column, given))
    said = F.when(text.isin(*_TRUE), F.lit(True)).when(text.isin(*_FALSE), F.lit(False))
    return F.when(column.isNull(), F.lit(False)).otherwise(said)


def _count(column: Column, given: T.DataType) -> Column:
    """A whole number, also one that a table of floats holds because others of its column were missing."""
    if isinstance(given, T.StringType):
        number = F.when(column.rlike(_COUNT), column.try_cast("long"))
    elif isinstance(given, T.IntegralType):
        number = column.cast("long")
    elif isinstance(given, T.NumericType):
        number = F.when(column == F.floor(column), column.try_cast("long"))
    else:
        return F.lit(None).cast("long")
    return F.when(number.between(0, LARGEST), number)


_READERS: dict[str, Callable[[Column, T.DataType], Column]] = {
    **dict.fromkeys(LONGEST, text_of),
    "at": moment_of,
    "to_broker_instance": _identifier,
    "is_reply": _flag,
    "messages": _count,
    "bytes": _count,
}
