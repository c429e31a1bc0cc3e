"""Columns and types of every table of the pipeline."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import types as T

from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS


class ExpectedColumns(NamedTuple):
    """The columns that an input may have, and the reason for rejecting a file with none of them."""

    columns: tuple[str, ...]
    fault: str


KEY_COLUMNS = ("from_instance", "from_database", "to_service", "to_broker_instance", "is_reply")
"""The columns that the rules look at. Rows that agree in them at one moment have the same outcomes."""

TRAFFIC = T.StructType(
    [
        T.StructField("conversation_id", T.StringType(), nullable=False),
        T.StructField("at", T.TimestampType(), nullable=False),
        T.StructField("from_instance", T.StringType(), nullable=False),
        T.StructField("from_database", T.StringType()),
        T.StructField("from_service", T.StringType()),
        T.StructField("to_service", T.StringType(), nullable=False),
        T.StructField("to_broker_instance", T.StringType()),
        T.StructField("is_reply", T.BooleanType(), nullable=False),
        T.StructField("messages", T.LongType(), nullable=False),
        T.StructField("bytes", T.LongType(), nullable=False),
    ]
)
COLUMNS = tuple(TRAFFIC.fieldNames())
TRAFFIC_FILES = ExpectedColumns(COLUMNS, "no_traffic_columns")
MAX_NAME_LENGTHS = {
    "conversation_id": SERVICE_NAME_CHARS,
    "from_instance": SERVICE_NAME_CHARS,
    "from_database": SYSNAME_CHARS,
    "from_service": SERVICE_NAME_CHARS,
    "to_service": SERVICE_NAME_CHARS,
}
"""In characters: the lengths of the product's own columns."""
MAX_COUNT = 10**12
"""The largest `messages` and `bytes` of one row: sums stay exact, and a larger value is a mistake."""

_REQUIRED = ("source", "position", "at", "host", "instance", "event_class", "event_name")
_EVENT_COLUMNS = """
    event_subclass database conversation_id conversation_handle conversation_group_id is_initiator from_initiator state
    from_service from_broker_instance to_service to_broker_instance message_sequence_number
    first_message_sequence_number fragment message_id messages bytes is_from_network route next_hop error previous_error
    attempts enqueued_at hops_remaining time_to_live_ms time_consumed_ms last_acknowledged queue connection_id address
    mirror_address peer principal times_closed depth oldest_age_ms text
"""
_LONG_COLUMNS = """
    position message_sequence_number first_message_sequence_number messages bytes time_to_live_ms time_consumed_ms
    last_acknowledged depth oldest_age_ms
"""
_INTEGER_COLUMNS = "event_class event_subclass fragment error previous_error attempts hops_remaining times_closed"
_EVENT_TYPES: dict[str, T.DataType] = {
    **dict.fromkeys(_LONG_COLUMNS.split(), T.LongType()),
    **dict.fromkeys(_INTEGER_COLUMNS.split(), T.IntegerType()),
    **dict.fromkeys(("is_initiator", "from_initiator", "is_from_network"), T.BooleanType()),
    **dict.fromkeys(("at", "enqueued_at"), T.TimestampType()),
}
"""Types of the event columns; a column that is not named here is a text."""
EVENT = T.StructType(
    [
        T.StructField(name, _EVENT_TYPES.get(name, T.StringType()), nullable=name not in _REQUIRED)
        for name in (*_REQUIRED, *_EVENT_COLUMNS.split())
    ]
)
"""The event log, as docs/reference/event-log.md has it."""
EVENT_FILES = ExpectedColumns(tuple(EVENT.fieldNames()), "no_event_columns")

OUTCOME = T.StructType(
    [
        T.StructField("outcome", T.StringType(), nullable=False),
        T.StructField("instance", T.StringType(), nullable=False),
        T.StructField("database", T.StringType()),
        T.StructField("reason", T.StringType()),
        T.StructField("address", T.StringType()),
    ]
)
OUTCOMES = pa.list_(
    pa.struct([pa.field(name, pa.string(), nullable=name not in OUTCOME.names[:2]) for name in OUTCOME.names])
)
"""`OUTCOME` as an Arrow type, for tables that the driver writes itself."""

QUARANTINE = pa.schema([("file", pa.string()), ("position", pa.int64()), ("reason", pa.string()), ("raw", pa.string())])
"""`position`: line of a text file or row of a Parquet file, from 1; null if the whole file was rejected."""

_CLASS_INTERVAL = [
    ("from_instance", pa.string()),
    ("from_database", pa.string()),
    ("to_service", pa.string()),
    ("to_broker_instance", pa.string()),
    ("is_reply", pa.bool_()),
    ("class", pa.int64()),
    ("interval", pa.int32()),
    ("rows", pa.int64()),
    ("messages", pa.int64()),
    ("bytes", pa.int64()),
]
ANSWERS = pa.schema(
    [*_CLASS_INTERVAL, ("before", pa.int32()), ("after", pa.int32()), ("change", pa.string()), ("kind", pa.string())]
)
"""A class in an interval, with the numbers of its outcome sets; null if neither estate knows its entry point."""
CHANGE_MOMENTS = pa.schema([("class", pa.int64()), ("change_moments", pa.list_(pa.int64()))])
"""The moments at which the answer of a class changes, sorted, in microseconds since 1970."""
OUTCOME_SETS = pa.schema([("number", pa.int32()), ("outcomes", OUTCOMES), ("verdict", pa.string())])
