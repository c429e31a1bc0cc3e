"""Read exports of the product's catalog views as traffic: a row of `sys.transmission_queue` is a message that waits, a
row of `sys.conversation_endpoints` is one side of a conversation.

Neither view names its instance and database: they stand in the path of the file, as `instance=…/database=…`; so does
the time of `sys.conversation_endpoints`, as `at=…`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.transforms.cleaning import PLACE

# Day, month and year with dots: the day is first in every locale. With slashes the order is ambiguous.
_DOTTED = (
    r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})(?:,? +([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?\z"
)
_YEAR_FIRST = r"^([0-9]{4})/?([0-9]{2})/?([0-9]{2})(?= |\z)"
_COMMA = r"(:[0-9]{2}),([0-9]{1,9})\z"
_GROUPED = r"^[0-9]{1,3}([.,'\u00a0\u202f\u2019 ][0-9]{3})+\z"
_HEX, _BASE64 = r"^0x([0-9A-Fa-f]{2})*\z", r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z"
NO_PARTITION_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The value in the name of a folder whose column is NULL, as Spark and Hive write it."""
_SLASHED = (
    r"^([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})"
    r"(?:,? +([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.]([0-9]{1,9}))?)?(?: *([AaPp])[Mm])?)?\z"
)
MONTH_FIRST, DAY_FIRST = "mdy", "dmy"
"""The order of dates with slashes and the year last, which only the user knows."""
MOMENTS = ("at", "enqueue_time", "enqueued_at", "StartTime")
"""Columns of texts that are moments."""


@dataclass(frozen=True, slots=True)
class CatalogView:
    """A catalog view: how its export is recognised, and the columns that are read."""

    key_columns: Set[str]
    """A file that has all of them is an export of this view."""
    columns: tuple[str, ...]


VIEWS: Mapping[str, CatalogView] = {
    "transmission_queue": CatalogView(
        frozenset({"conversation_handle", "to_service_name", "enqueue_time", "message_sequence_number"}),
        (
            *("conversation_handle", "to_service_name", "to_broker_instance", "from_service_name", "enqueue_time"),
            *("message_sequence_number", "message_body", "is_initiator"),
        ),
    ),
    "conversation_endpoints": CatalogView(
        frozenset({"conversation_id", "is_initiator", "far_service", "far_broker_instance"}),
        ("conversation_id", "is_initiator", "far_service", "far_broker_instance", "send_sequence"),
    ),
}


def view_of(names: Set[str], views: Mapping[str, CatalogView] = VIEWS) -> str:
    """The view that a file with these columns is an export of; empty: none."""
    return next((name for name, view in views.items() if view.key_columns <= names), "")


def as_traffic(rows: DataFrame, name: str) -> DataFrame:
    """Map rows of an export, whose columns are all texts, to the traffic columns; `clean` converts them next."""
    columns = _of_queue() if name == "transmission_queue" else _of_endpoints()
    place = {"from_instance": of_path("instance"), "from_database": of_path("database")}
    given = rows.select(*(_unless_null(column).alias(column) for column in VIEWS[name].columns), *PLACE, "_fault")
    found = {**columns, **place}
    return given.select(*(column.cast("string").alias(name) for name, column in found.items()), *PLACE, "_fault")


def _of_queue() -> dict[str, Column]:
    return {
        "conversation_id": F.concat(F.lower("conversation_handle"), F.lit("/"), number("message_sequence_number")),
        "at": moment("enqueue_time"),
        "from_service": F.col("from_service_name"),
        "to_service": F.col("to_service_name"),
        "to_broker_instance": F.nullif("to_broker_instance", F.lit("")),
        "is_reply": _is_reply(),
        "messages": F.lit("1"),
        "bytes": _size(),
    }


def _of_endpoints() -> dict[str, Column]:
    side = F.when(_is_reply() == "true", "t").when(_is_reply() == "false", "i")
    return {
        "conversation_id": F.concat(F.lower("conversation_id"), F.lit("/"), F.coalesce(side, F.lit(""))),
        "at": moment(of_path("at")),
        # The view has only its number.
        "from_service": F.lit(None),
        "to_service": F.col("far_service"),
        "to_broker_instance": F.nullif("far_broker_instance", F.lit("")),
        "is_reply": _is_reply(),
        "messages": number("send_sequence"),
        "bytes": F.lit("0"),
    }


def _is_reply() -> Column:
    """`true` for a message of the target. Without `is_initiator`, the initiator is assumed."""
    value = F.lower("is_initiator")
    known = F.when(value.isin("1", "true"), "false").when(value.isin("0", "false"), "true")
    return F.coalesce(known, "is_initiator")


def _size() -> Column:
    """Bytes of the body, which is hexadecimal (0x…) or base64; 0 if the export has no body."""
    body = F.col("message_body")
    in_hex = ((F.char_length(body) - 2) / 2).cast("long")
    in_base64 = F.char_length(body) / 4 * 3 - F.char_length(F.regexp_extract(body, "=*$", 0))
    known = F.when(body.rlike(_HEX), in_hex).when(body.rlike(_BASE64), in_base64.cast("long"))
    return F.when(body.isNull(), "0").otherwise(F.coalesce(known.cast("string"), body))


def of_path(key: str, file: str = "_file") -> Column:
    """The value of a `key=…` folder in the path of the file; characters that no file name may hold are percent-encoded.

    Spark gives the path as a URI, which percent-encodes it once more; a plus in it is literal.
    """
    part = F.nullif(F.regexp_extract(file, f"/{key}=([^/]+)/", 1), F.lit(""))
    given = F.nullif(part, F.lit(NO_PARTITION_VALUE))
    return F.try_url_decode(
        F.replace(F.url_decode(F.replace(given, F.lit("+"), F.lit("%2B"))), F.lit("+"), F.lit("%2B"))
    )


def _unless_null(name: str) -> Column:
    return F.when(F.col(name) != "NULL", F.col(name))


def moment(text: str | Column) -> Column:
    """Convert a local date format to ISO 8601; any other text stays as it is."""
    given = F.col(text) if isinstance(text, str) else text
    parts = [F.regexp_extract(given, _DOTTED, group) for group in range(1, 8)]
    day, month, hour, minute, second = (F.lpad(parts[place], 2, "0") for place in (0, 1, 3, 4, 5))
    fraction = F.when(parts[6] != "", F.concat(F.lit("."), parts[6])).otherwise("")
    dotted = F.concat(parts[2], F.lit("-"), month, F.lit("-"), day, F.lit(" "), hour, F.lit(":"), minute, F.lit(":"))
    iso = F.regexp_replace(F.regexp_replace(given, _YEAR_FIRST, "$1-$2-$3"), _COMMA, "$1.$2")
    return F.when(given.rlike(_DOTTED), F.concat(dotted, second, fraction)).otherwise(iso)


def slashed(given: Column, order: str) -> Column:
    """Convert a date with slashes in this order to ISO 8601, also with AM and PM; any other text stays as it is."""
    parts = [F.regexp_extract(given, _SLASHED, group) for group in range(1, 9)]
    first, other, year, hour, minute, second, fraction, half = parts
    month, day = (first, other) if order == MONTH_FIRST else (other, first)
    twelve = F.when(F.lower(half) == "p", 12).otherwise(0) + hour.try_cast("int") % 12
    hours = F.when(half != "", twelve).otherwise(hour.try_cast("int")).cast("string")
    date = F.concat_ws("-", year, F.lpad(month, 2, "0"), F.lpad(day, 2, "0"))
    clock = F.concat_ws(":", F.lpad(hours, 2, "0"), minute, F.nullif(second, F.lit("")))
    time = F.concat(F.lit(" "), clock, F.when(fraction != "", F.concat(F.lit("."), fraction)).otherwise(""))
    return F.when(given.rlike(_SLASHED), F.concat(date, F.when(hour != "", time).otherwise(""))).otherwise(given)


def number(text: str) -> Column:
    """Remove the thousands separators of a whole number."""
    return F.when(F.col(text).rlike(_GROUPED), F.regexp_replace(text, "[^0-9]", "")).otherwise(F.col(text))
