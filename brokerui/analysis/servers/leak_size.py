"""Size of the conversations that are left over, about: rows of sys.conversation_endpoints by the documented widths of
the columns, without indexes and free space. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from routing.common.sentence import Sentence, say
from routing.lint.endpoint_leaks import ServiceState

FIXED_BYTES: Final = (
    5 * 16  # handle, conversation, group, and both identifiers of session keys
    + 9 * 8  # lifetime, security timestamp, timer, and the sequence numbers of 8 bytes
    + 6 * 4  # contract, service, both principals, and both fragments
    + 6  # the transaction of the last SEND
    + 2  # state
    + 3  # sides, system and priority
)
"""Columns of a fixed width."""
ROW_BYTES: Final = 20
"""Head of a row, its NULL bits, and the places of two columns of variable width."""
BROKER_BYTES: Final = 2 * 36
"""`far_broker_instance`: a GUID as text."""
USUAL_NAME: Final = 32
"""Characters of a service whose name was not collected."""
UNITS: Final = (("GB", 1024**3), ("MB", 1024**2))


def row_bytes(far_service: str | None) -> int:
    """The width of a row whose other side is this service."""
    return FIXED_BYTES + ROW_BYTES + BROKER_BYTES + 2 * len(far_service or "_" * USUAL_NAME)


def left_bytes(leaks: Iterable[ServiceState]) -> int:
    """The width of all rows of these groups."""
    return sum(one.endpoints * row_bytes(one.far_service) for one in leaks)


def size_sentence(leaks: Iterable[ServiceState]) -> Sentence | None:
    """`About 13.1 GB, …`; None below a tenth of a megabyte."""
    found = list(leaks)
    size, rows = left_bytes(found), sum(one.endpoints for one in found)
    if not (words := size_words(size)):
        return None
    text = "They take about {size}: {width} bytes a row by the widths of the columns, without indexes."
    return say(text, size=words, width=f"{round(size / rows):,}")


def size_words(size: int) -> str:
    """`13.6 GB`; empty below a tenth of a megabyte."""
    unit, scale = next(((name, one) for name, one in UNITS if size * 10 >= one), ("", 0))
    return f"{size / scale:,.1f} {unit}" if scale else ""
