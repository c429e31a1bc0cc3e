"""Validate message bodies against their message type, on receipt."""

from __future__ import annotations

from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

VALIDATION_CODE: Final = {"NONE": "N", "EMPTY": "E", "WELL_FORMED_XML": "X", "VALID_XML": "X"}
"""Column `validation` of a queue's rows."""


def is_valid(validation: str, body: bytes | None) -> bool:
    """Return True if a body satisfies the validation of its message type.

    VALID_XML checks for well-formed XML only: an estate has no schema collections, so a body that SQL Server would
    refuse because of its schema is accepted here.
    """
    if validation == "NONE":
        return True
    if validation == "EMPTY":
        return not body
    return is_well_formed(body or b"")


def is_well_formed(body: bytes) -> bool:
    """Return True if this is an XML document without a DOCTYPE, as in SQL Server (so entities cannot expand)."""
    parser = ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(body, True)
    except (ExpatError, ValueError, LookupError):
        return False
    return True


def _refuse(*declaration: object) -> None:
    raise ValueError
