"""Message types: what a body must be, looked at when it is received."""

from __future__ import annotations

from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

VALIDATION_CODE: Final = {"NONE": "N", "EMPTY": "E", "WELL_FORMED_XML": "X", "VALID_XML": "X"}
"""`validation` of a queue's rows."""


def is_valid(validation: str, body: bytes | None) -> bool:
    """Whether a body is what its message type promises.

    VALID_XML asks for well-formed XML and no more: schema collections are not part of an estate, so what the product
    would refuse for its schema alone is accepted here.
    """
    if validation == "NONE":
        return True
    if validation == "EMPTY":
        return not body
    return is_well_formed(body or b"")


def is_well_formed(body: bytes) -> bool:
    """Whether this is an XML document; one with a DOCTYPE is not, as in the product (nor can it expand entities)."""
    parser = ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(body, True)
    except (ExpatError, ValueError, LookupError):
        return False
    return True


def _refuse(*declaration: object) -> None:
    raise ValueError
