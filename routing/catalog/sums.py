"""Sums of waiting messages and open conversations: not part of an estate, but reported."""

from __future__ import annotations

from collections.abc import Iterator

from routing.catalog.shapes import Row
from routing.catalog.snapshot import CatalogSnapshot
from routing.common.finding import WARNING, Finding
from routing.common.sentence import Sentence, say

_BEHIND = {"sysxmitqueue": "transmission_queue", "sysdesend": "conversation_endpoints"}
"""The internal tables of the two views, whose sizes are known without reading rows."""
_SAYS = (
    ("protocol transport is not available", "no-endpoint"),
    ("transport is disabled or not configured", "no-endpoint"),
    ("broker is disabled in the sender", "broker-disabled"),
    ("message forwarding is disabled", "forwarding-off"),
    ("queue is disabled", "queue-off"),
    ("target broker in the local", "unknown-identifier"),
    ("no route matches the destination service name", "not-found"),
    ("target service name could not be found", "not-found"),
    ("there is no service by that name in the local", "not-found"),
)
"""By lower case words of an English status: the kind of finding."""


def findings_of_sums(name: str, told: CatalogSnapshot) -> Iterator[Finding]:
    """Warnings for waiting messages whose status corresponds to a finding of lint."""
    for database, parts in told.parts.items():
        for row in parts.get("transmission_queue", ()):
            code = _code(row.get("transmission_status") or "")
            if code is not None:
                yield Finding(code, WARNING, name, database, row.get("to_service_name"), _waiting(row), file=told.where)


def _code(status: str) -> str | None:
    words = status.lower()
    return next((code for sign, code in _SAYS if sign in words), None)


def _waiting(row: Row) -> Sentence:
    count, oldest, status = row["messages"], row.get("oldest"), row["transmission_status"]
    if oldest is None:
        return say('{count} messages wait: "{status}"', count=count, status=status)
    return say(
        '{count} messages wait, the oldest since {oldest}: "{status}"', count=count, oldest=oldest, status=status
    )


def sums_of(name: str, told: CatalogSnapshot) -> Iterator[Sentence]:
    """A sentence for each database with waiting messages or open conversations."""
    for database, parts in told.parts.items():
        place = f"{name}/{database}"
        totals = {_BEHIND.get(row.get("name") or ""): row.get("table_rows") for row in parts.get("totals", ())}
        if messages := parts.get("transmission_queue"):
            count = _of(sum(row["messages"] for row in messages), totals.get("transmission_queue"))
            yield say("{place}: {count} messages in the transmission queue", place=place, count=count)
        if endpoints := parts.get("conversation_endpoints"):
            count = _of(sum(row["endpoints"] for row in endpoints), totals.get("conversation_endpoints"))
            states = tuple(f"{row.get('state_desc') or row['state']} {row['endpoints']:,}" for row in endpoints)
            yield say("{place}: {count} conversation endpoints: {states}", place=place, count=count, states=states)


def _of(count: int, total: int | None) -> str | Sentence:
    """The number of summed rows, and the total if it is larger."""
    if total is None or total <= count:
        return f"{count:,}"
    return say("{count} of about {total}", count=f"{count:,}", total=f"{total:,}")
