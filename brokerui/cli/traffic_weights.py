"""How many messages each class of traffic carried: a traffic file, summed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

from brokerui.analysis.effect.diff_report import Weights
from brokerui.cli.inputs import json_line, lines_of
from routing.classes.traffic_class import Node, TrafficClass, Vocabulary
from routing.common.errors import InputError, Invalid, must_be
from routing.common.sentence import say, say_counted
from routing.documents.conversation_json import conversation_from, entry_as_json
from routing.documents.json_decoders import string

_PARQUET = b"PAR1"
_NULLS = ("", "NULL")


def load_weights(name: str, vocabulary: Vocabulary) -> Weights:
    """Messages by entry point and class, from JSON lines or CSV with the columns of the traffic format.

    Raises `InputError` with the line for a row that is no conversation of either estate.
    """
    weights: Weights = {}
    for number, row in _rows(name):
        try:
            node, traffic, messages = _class_of(row, vocabulary)
        except Invalid as fault:
            path = f"line {number}: {fault.path}" if fault.path else f"line {number}"
            raise InputError(name, path, fault.problem) from None
        weights[node, traffic] = weights.get((node, traffic), 0) + messages
    return weights


def _class_of(row: Mapping[str, Any], vocabulary: Vocabulary) -> tuple[Node, TrafficClass, int]:
    conversation = conversation_from(
        {
            "from": _entry(row),
            "to_service": row.get("to_service"),
            "to_broker_instance": row.get("to_broker_instance"),
            "is_reply": False if row.get("is_reply") is None else row["is_reply"],
        }
    )
    node = (conversation.instance, conversation.database)
    if node not in vocabulary.entries:
        raise Invalid(
            "from_instance", say("there is no such entry point in either estate: {entry}", entry=_shown(node))
        )
    traffic = vocabulary.class_of(
        conversation.to_service, conversation.to_broker_instance, is_reply=conversation.is_reply
    )
    return node, traffic, _count(row.get("messages", 1))


def _entry(row: Mapping[str, Any]) -> dict[str, str]:
    instance, database = _text(row, "from_instance"), row.get("from_database")
    return entry_as_json(instance, None if database is None else _text(row, "from_database"))


def _text(row: Mapping[str, Any], column: str) -> str:
    try:
        return string(row.get(column))
    except Invalid as fault:
        raise fault.below(column) from None


def _shown(node: Node) -> str:
    return "/".join(part for part in node if part is not None)


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise Invalid("messages", must_be(say("a whole number, not negative"), value))
    return value


def _rows(name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    lines = lines_of(name)
    first = next(lines, None)
    if first is None:
        return
    if first[1].startswith(_PARQUET.decode()):
        raise InputError(name, "", say("is Parquet; `brokerui pipeline` reads it, here JSON lines or CSV is needed"))
    if first[1].startswith("{"):
        yield from _json_rows(name, first, lines)
    else:
        yield from _csv_rows(name, first, lines)


def _json_rows(
    name: str, first: tuple[int, str], rest: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, text in (first, *rest):
        try:
            row = json_line(text)
        except Invalid as fault:
            raise InputError(name, f"line {number}", fault.problem) from None
        except (ValueError, RecursionError):
            raise InputError(name, f"line {number}", say("is not JSON")) from None
        if type(row) is not dict:
            raise InputError(name, f"line {number}", must_be(say("an object"), row))
        yield number, row


def _csv_rows(
    name: str, first: tuple[int, str], rest: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # Spreadsheets of half the world write semicolons; no column is called so.
    delimiter = ";" if ";" in first[1] else ","
    columns = _values(name, *first, delimiter)
    if "to_service" not in columns:
        raise InputError(name, "line 1", say("must name the columns of the traffic format, to_service among them"))
    for number, text in rest:
        values = _values(name, number, text, delimiter)
        if len(values) != len(columns):
            problem = say_counted(
                len(values),
                "has {count} value, the first line names {columns}",
                "has {count} values, the first line names {columns}",
                columns=len(columns),
            )
            raise InputError(name, f"line {number}", problem)
        yield number, dict(zip(columns, map(_from_csv, columns, values), strict=True))


def _values(name: str, number: int, text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(name, f"line {number}", say("is not CSV: {reason}", reason=str(error))) from None


def _from_csv(column: str, value: str) -> Any:
    if value in _NULLS:
        return None
    if column == "is_reply":
        return {"true": True, "1": True, "false": False, "0": False}.get(value.lower(), value)
    return int(value) if column == "messages" and re.fullmatch("[0-9]{1,18}", value) else value
