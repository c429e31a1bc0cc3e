"""What the columns of a Parquet file are read as: Spark would ask one file of many, and refuse some types."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import pyarrow.parquet as pq

NANOSECONDS, UUID, UNREAD = "nanoseconds", "uuid", "unread"
"""Kinds that are no types of Spark: moments that it takes as numbers, sixteen bytes, and what is no text or number."""
STORED = {NANOSECONDS: "bigint", UUID: "binary"}
"""What Spark reads a kind as, if not as the type of this name."""
MOST_DIGITS = 38
_BITS = {8: "tinyint", 16: "smallint", 32: "int", 64: "bigint"}
_WIDER = {8: "smallint", 16: "int", 32: "bigint", 64: "decimal(20,0)"}
_PLAIN = {
    "BOOLEAN": "boolean",
    "INT32": "int",
    "INT64": "bigint",
    "INT96": "timestamp",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BYTE_ARRAY": "binary",
    "FIXED_LEN_BYTE_ARRAY": "binary",
}
_LOGICAL = dict.fromkeys(("String", "Enum", "JSON"), "string") | {"BSON": "binary", "Date": "date", "UUID": UUID}


class RepeatedColumnError(ValueError):
    """Two columns have one name."""


def kinds_of(schema: pq.ParquetSchema, names: Collection[str]) -> dict[str, str]:
    """The kinds of those columns of these names that a file has. Raises `RepeatedColumnError`."""
    leaves = [schema.column(number) for number in range(len(schema))]
    tops = Counter(leaf.path.partition(".")[0] for leaf in leaves)
    found = dict.fromkeys((name for name in tops if name in names), UNREAD)
    for leaf in leaves:
        if leaf.path in found:
            if tops[leaf.path] > 1:
                raise RepeatedColumnError(leaf.path)
            found[leaf.path] = _kind(leaf)
    return found


def _kind(column: pq.ColumnSchema) -> str:
    if column.max_repetition_level:
        return UNREAD
    about: Mapping[str, Any] = json.loads(column.logical_type.to_json())
    match about["Type"]:
        case "None" | "Undefined" | "Null":
            return UNREAD if column.converted_type == "INTERVAL" else _PLAIN[column.physical_type]
        case "Int":
            return (_BITS if about["isSigned"] else _WIDER)[about["bitWidth"]]
        case "Decimal":
            return f"decimal({column.precision},{column.scale})" if column.precision <= MOST_DIGITS else UNREAD
        case "Timestamp":
            return _moment(about)
        case other:
            return _LOGICAL.get(other, UNREAD)


def _moment(about: Mapping[str, Any]) -> str:
    if about["timeUnit"] == "nanoseconds":
        return NANOSECONDS
    return "timestamp" if about["isAdjustedToUTC"] else "timestamp_ntz"
