"""Read Broker events that SQL Server recorded: rows of `sys.fn_trace_gettable` (SQL Trace), and rows of
`sys.fn_xe_file_target_read_file` (Extended Events).

Both say the same under other names. Where a row does not say its instance or database, folders may, as for exports of
catalog views: `instance=…/database=…`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import EVENT
from pipeline.transforms.cleaning import PLACE
from pipeline.transforms.view_exports import CatalogView, moment, of_path

TRACE, SESSION = "fn_trace_gettable", "fn_xe_file_target_read_file"
OTHER_EVENT, NO_XML = "other_event", "not_xml"
"""Reasons: no event of Service Broker; `event_data` is no event."""

NAMES: Mapping[int, tuple[str, str]] = {
    124: ("Broker:Conversation", "broker_conversation"),
    136: ("Broker:Conversation Group", "broker_conversation_group"),
    138: ("Broker:Connection", "ucs_connection_setup"),
    139: ("Broker:Forwarded Message Sent", "broker_forwarded_message_sent"),
    140: ("Broker:Forwarded Message Dropped", "broker_forwarded_message_dropped"),
    141: ("Broker:Message Classify", "broker_message_classify"),
    142: ("Broker:Transmission", "broker_transmission_exception"),
    143: ("Broker:Queue Disabled", "broker_queue_disabled"),
    144: ("Broker:Mirrored Route State Changed", "broker_mirrored_route_state_changed"),
    149: ("Broker:Remote Message Acknowledgement", "broker_remote_message_acknowledgement"),
    160: ("Broker:Message Undeliverable", "broker_message_undeliverable"),
    161: ("Broker:Corrupted Message", "broker_corrupted_message"),
    163: ("Broker:Activation", "broker_activation"),
}
"""The number of each event, its name in a trace, and the name of the same event in a session."""
SUBCLASSES: Mapping[int, tuple[str, ...]] = {
    124: (
        *("send message", "end conversation", "end conversation with error", "broker initiated error"),
        *("terminate dialog", "received sequenced message", "received end conversation"),
        *("received end conversation with error", "received broker error message", "received end conversation ack"),
        *("begin dialog", "dialog created", "end conversation with cleanup"),
    ),
    136: ("create", "drop"),
    138: (
        *("connecting", "connected", "connect failed", "closing", "closed", "accept", "send io error"),
        "receive io error",
    ),
    141: ("local", "remote", "delayed"),
    149: (
        *("message with acknowledgement sent", "acknowledgement sent", "message with acknowledgement received"),
        "acknowledgement received",
    ),
    160: ("sequenced message", "unsequenced message"),
    163: ("started", "ended", "aborted", "notified", "task output", "failed to start"),
}
"""The words of the subclasses, from 1: a session has them instead of the numbers."""
_STATES = {
    **{code: code for code in ("SO", "SI", "CO", "DI", "DO", "ER", "CD")},
    "STARTED_OUTBOUND": "SO",
    "STARTED_INBOUND": "SI",
    "CONVERSING": "CO",
    "DISCONNECTED_INBOUND": "DI",
    "DISCONNECTED_OUTBOUND": "DO",
    "ERROR": "ER",
    "CLOSED": "CD",
}
_MESSAGES, _FORWARDED = (139, 140, 141, 160), (139, 140)
_VALUES = "array<struct<_name:string,value:string,text:string>>"
_EVENT_XML = f"struct<_name:string,_timestamp:string,data:{_VALUES},action:{_VALUES}>"
_FIELDS: Mapping[str, tuple[str, str]] = {
    # the column of a trace: the field of a session
    "GUID": ("conversation_id", "conversation_group_id"),
    "ObjectName": ("conversation_handle", "connection_id"),
    "MethodName": ("conversation_group_id", ""),
    "RoleName": ("is_initiator", ""),
    "FileName": ("to_service_name", ""),
    "OwnerName": ("to_broker_instance", "to_broker_name"),
    "DBUserName": ("from_broker_name", ""),
    "BigintData1": ("message_sequence", "message_sequence_number"),
    "BigintData2": ("message_sequence", "acknowledgement_sequence_number"),
    "IntegerData": ("fragment_number", ""),
    "IntegerData2": ("fragment_number", ""),
    "IndexID": ("remaining_hop_count", ""),
    "ObjectID": ("time_to_live_sec", "queue_id"),
    "Success": ("live_time_sec", ""),
    "Error": ("delayed_error_number", "error_number"),
    "LinkedServerName": ("message_source", ""),
}
_ACTIONS = {"DatabaseName": "database_name", "ServerName": "server_instance_name", "EventSequence": "event_sequence"}
_SUBCLASS_FIELDS = (
    *("conversation_action", "conversation_group_action", "setup_event", "route_type", "acknowledgement_type"),
    "activation_state",
)
_TEXT_FIELDS = (
    *("conversation_state", "error_message", "dropped_reason", "message_drop_reason", "corruption_description"),
    "activation_message",
)
_TRACE_COLUMNS = (
    *("EventClass", "EventSubClass", "StartTime", "TextData", "TargetUserName", "TargetLoginName"),
    *_FIELDS,
    *_ACTIONS,
)
SERVER_EVENTS: Mapping[str, CatalogView] = {
    TRACE: CatalogView(frozenset({"EventClass", "EventSequence", "StartTime"}), _TRACE_COLUMNS),
    SESSION: CatalogView(
        frozenset({"object_name", "event_data", "file_name", "file_offset"}),
        ("object_name", "event_data", "file_name", "file_offset"),
    ),
}


@dataclass(frozen=True, slots=True)
class _TraceRow:
    """A row with the columns of a trace: the number of its event, and what the columns hold for some events only."""

    number: Column

    def of(self, column: str, *numbers: int) -> Column:
        """Return a column for events of these numbers, else NULL."""
        return F.when(self.number.isin(*numbers), F.col(column))


def as_events(rows: DataFrame, name: str) -> DataFrame:
    """Map rows of one of the two shapes, whose columns are all texts, to the columns of the event log."""
    trace = rows if name == TRACE else _of_session(rows)
    key = F.concat_ws("/", F.lit("trace"), "ServerName", "StartTime") if name == TRACE else F.col("_source")
    row = _TraceRow(F.col("EventClass").try_cast("int"))
    found = {"source": key, "position": F.col("EventSequence"), **_common(row), **_special(row)}
    fault = F.coalesce("_fault", F.when(row.number.isin(*NAMES), F.lit(None)).otherwise(F.lit(OTHER_EVENT)))
    columns = (found.get(field.name, F.lit(None)).cast("string").alias(field.name) for field in EVENT)
    return trace.select(*columns, *PLACE, fault.alias("_fault"))


def _common(row: _TraceRow) -> dict[str, Column]:
    names = F.create_map(*(F.lit(one) for number, (name, _) in NAMES.items() for one in (number, name)))
    instance = F.coalesce(of_path("instance"), "ServerName")
    return {
        "at": moment("StartTime"),
        "host": F.coalesce("ServerName", instance),
        "instance": instance,
        "database": F.coalesce("DatabaseName", of_path("database")),
        "event_class": F.col("EventClass"),
        "event_name": F.try_element_at(names, row.number),
        "event_subclass": F.col("EventSubClass"),
        "conversation_id": F.lower(row.of("GUID", 124, 149, 161, *_MESSAGES)),
        "error": F.nullif(row.of("Error", 142, 161, *_MESSAGES), F.lit("0")),
        "text": row.of("TextData", 138, 140, 142, 160, 161, 163),
    }


def _special(row: _TraceRow) -> dict[str, Column]:
    role = F.lower("RoleName")
    is_initiator = F.when(role.isin("initiator", "1", "true"), "true").when(role.isin("target", "0", "false"), "false")
    states = F.create_map(*(F.lit(one) for pair in _STATES.items() for one in pair))
    source = F.lower(row.of("LinkedServerName", 141))
    return {
        "conversation_handle": F.lower(row.of("ObjectName", 124)),
        "conversation_group_id": F.lower(F.coalesce(row.of("MethodName", 124), row.of("GUID", 136))),
        "is_initiator": F.when(row.number == 124, is_initiator),
        "from_initiator": F.when(row.number.isin(*_MESSAGES), is_initiator),
        "state": F.try_element_at(states, F.upper(row.of("TextData", 124))),
        "connection_id": F.lower(F.coalesce(row.of("ObjectName", 138), row.of("GUID", 138))),
        "address": row.of("TargetUserName", 138),
        "times_closed": row.of("IntegerData", 138),
        "to_service": row.of("FileName", *_FORWARDED, 141),
        "to_broker_instance": F.lower(row.of("OwnerName", *_FORWARDED, 141)),
        "from_service": row.of("TargetUserName", *_FORWARDED),
        "from_broker_instance": F.lower(row.of("DBUserName", *_FORWARDED)),
        "next_hop": F.coalesce(row.of("TargetLoginName", *_FORWARDED), row.of("TargetUserName", 141)),
        "message_sequence_number": F.coalesce(row.of("BigintData1", *_FORWARDED, 160), row.of("BigintData2", 149)),
        "last_acknowledged": row.of("BigintData2", 160),
        "fragment": F.coalesce(row.of("IntegerData", *_FORWARDED), row.of("IntegerData2", 149)),
        "hops_remaining": row.of("IndexID", *_FORWARDED),
        "time_to_live_ms": row.of("ObjectID", *_FORWARDED).try_cast("long") * 1_000,
        "time_consumed_ms": row.of("Success", *_FORWARDED).try_cast("long") * 1_000,
        "is_from_network": F.when(source.contains("network"), "true").when(source.contains("originat"), "false"),
        "queue": F.coalesce(row.of("ObjectName", 143, 163), row.of("ObjectID", 143, 163)),
    }


def _of_session(rows: DataFrame) -> DataFrame:
    """Give rows of a session the columns of a trace."""
    read = rows.withColumn("_event", F.from_xml("event_data", _EVENT_XML))
    for column in ("data", "action"):
        one = F.coalesce(f"_event.{column}", F.array().cast(_VALUES))
        entries = F.transform(one, lambda pair: F.struct(pair["_name"], F.coalesce(pair["text"], pair["value"])))
        read = read.withColumn(f"_{column}", F.map_from_entries(F.array_distinct(entries)))
    numbers = F.create_map(*(F.lit(one) for number, (_, name) in NAMES.items() for one in (name, number)))
    number = F.try_element_at(numbers, F.coalesce("object_name", "_event._name"))
    event = {
        "EventClass": number.cast("string"),
        "EventSubClass": _subclass(number),
        "StartTime": F.col("_event._timestamp"),
        "TextData": _first(*_TEXT_FIELDS),
        "TargetUserName": _first("from_service_name", "address"),
        "TargetLoginName": F.lit(None).cast("string"),
        **{column: _first(*filter(None, fields)) for column, fields in _FIELDS.items()},
        **{column: F.try_element_at("_action", F.lit(name)) for column, name in _ACTIONS.items()},
    }
    # An event without a number of its own is known by its text, as a block of the file holds several: by a hash of 59
    # bits, since a number of more has more than the 18 digits that are read.
    position = F.coalesce(event["EventSequence"], F.shiftrightunsigned(F.xxhash64("event_data"), 5).cast("string"))
    is_broken = F.col("_event._name").isNull()
    return read.select(
        *(column.alias(name) for name, column in event.items() if name != "EventSequence"),
        position.alias("EventSequence"),
        F.concat_ws("/", "file_name", "file_offset").alias("_source"),
        *PLACE,
        F.coalesce("_fault", F.when(is_broken, F.lit(NO_XML))).alias("_fault"),
    )


def _first(*names: str) -> Column:
    """Return the first of these fields that an event has."""
    return F.coalesce(*(F.try_element_at("_data", F.lit(name)) for name in names))


def _subclass(number: Column) -> Column:
    """Return the number of the subclass, by its words or as it stands."""
    word = F.lower(F.replace(_first(*_SUBCLASS_FIELDS), F.lit("_"), F.lit(" ")))
    is_sequenced = F.lower(_first("sequenced_message"))
    word = F.coalesce(word, F.when(is_sequenced == "true", F.lit("1")).when(is_sequenced == "false", F.lit("2")))
    words = F.create_map(
        *(
            one
            for event, names in SUBCLASSES.items()
            for place, name in enumerate(names, 1)
            for one in (F.lit(f"{event} {name}"), F.lit(str(place)))
        )
    )
    known = F.try_element_at(words, F.concat_ws(" ", number.cast("string"), word))
    return F.coalesce(known, F.when(word.try_cast("int").isNotNull(), word))
