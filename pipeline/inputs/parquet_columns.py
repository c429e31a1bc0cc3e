"""Find the Spark type for each column of a Parquet file.

Spark itself takes the schema of one file for all, and fails on some types.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import pyarrow.parquet as pq

NANOSECONDS, UUID, UNSUPPORTED = "nanoseconds", "uuid", "unread"
"""Kinds that are no Spark types: timestamps that Spark reads as numbers, 16-byte GUIDs, and types that are ignored."""
SPARK_TYPES = {NANOSECONDS: "bigint", UUID: "binary"}
"""The Spark type of a kind that is not named like one."""
MAX_DECIMAL_DIGITS = 38
_SIGNED = {8: "tinyint", 16: "smallint", 32: "int", 64: "bigint"}
_UNSIGNED = {8: "smallint", 16: "int", 32: "bigint", 64: "decimal(20,0)"}
_PHYSICAL = {
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
    """Two columns of a file have the same name."""


def column_kinds(schema: pq.ParquetSchema, names: Collection[str]) -> dict[str, str]:
    """Return the kinds of the named columns that a file has. Raises `RepeatedColumnError`."""
    leaves = [schema.column(number) for number in range(len(schema))]
    tops = Counter(leaf.path.partition(".")[0] for leaf in leaves)
    found = dict.fromkeys((name for name in tops if name in names), UNSUPPORTED)
    for leaf in leaves:
        if leaf.path in found:
            if tops[leaf.path] > 1:
                raise RepeatedColumnError(leaf.path)
            found[leaf.path] = _kind(leaf)
    return found


def _kind(column: pq.ColumnSchema) -> str:
    if column.max_repetition_level:
        return UNSUPPORTED
    about: Mapping[str, Any] = json.loads(column.logical_type.to_json())
    match about["Type"]:
        case "None" | "Undefined" | "Null":
            return UNSUPPORTED if column.converted_type == "INTERVAL" else _PHYSICAL[column.physical_type]
        case "Int":
            return (_SIGNED if about["isSigned"] else _UNSIGNED)[about["bitWidth"]]
        case "Decimal":
            return (
                f"decimal({column.precision},{column.scale})" if column.precision <= MAX_DECIMAL_DIGITS else UNSUPPORTED
            )
        case "Timestamp":
            return _moment(about)
        case other:
            return _LOGICAL.get(other, UNSUPPORTED)


def _moment(about: Mapping[str, Any]) -> str:
    if about["timeUnit"] == "nanoseconds":
        return NANOSECONDS
    return "timestamp" if about["isAdjustedToUTC"] else "timestamp_ntz"
