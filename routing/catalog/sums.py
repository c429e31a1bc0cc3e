"""Sums of waiting messages and open conversations: not part of an estate, but reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from routing.catalog.shapes import Row
from routing.catalog.snapshot import CatalogSnapshot, Rows
from routing.common.sentence import Sentence, say, say_counted

_BEHIND = {"sysxmitqueue": "transmission_queue", "sysdesend": "conversation_endpoints"}
"""The internal tables of the two views, whose sizes are known without reading rows."""
MAX_SERVICES = 20
"""Services of a database whose conversations are listed one by one."""


def sums_of(name: str, snapshot: CatalogSnapshot) -> Iterator[Sentence]:
    """A sentence for each database with waiting messages or open conversations, and one where a grid has none."""
    yield from _nothing_waits(name, snapshot)
    for database, parts in snapshot.parts.items():
        place = f"{name}/{database}"
        totals = {_BEHIND.get(row.get("name") or ""): row.get("table_rows") for row in parts.get("totals", ())}
        if messages := parts.get("transmission_queue"):
            count = _of(sum(row["messages"] for row in messages), totals.get("transmission_queue"))
            yield say("{place}: {count} messages in the transmission queue", place=place, count=count)
        if endpoints := parts.get("conversation_endpoints"):
            count = _of(sum(row["endpoints"] for row in endpoints), totals.get("conversation_endpoints"))
            states = _states(endpoints)
            yield say("{place}: {count} conversation endpoints: {states}", place=place, count=count, states=states)
            for service, own in _by_service(endpoints):
                yield say("{place}: conversations of {service}: {states}", place=place, service=service, states=own)


def _nothing_waits(name: str, snapshot: CatalogSnapshot) -> Iterator[Sentence]:
    """One sentence about empty transmission queues, where the file is about nothing else."""
    empty = [database for database, parts in snapshot.parts.items() if _is_empty(parts)]
    if not empty or snapshot.databases is not None:
        return
    if len(empty) == 1:
        yield say("{name}: the transmission queue of {database} is empty", name=name, database=empty[0])
    else:
        yield say_counted(
            len(empty),
            "{name}: the transmission queue of {count} database is empty",
            "{name}: the transmission queues of {count} databases are empty",
            name=name,
        )


def _is_empty(parts: Mapping[str, Rows]) -> bool:
    totals = (row.get("table_rows") for row in parts.get("totals", ()) if row.get("name") == "sysxmitqueue")
    return parts.get("transmission_queue") == () and not any(totals)


def _states(rows: Iterable[Row]) -> tuple[str, ...]:
    """The number of endpoints in each state, the most frequent first."""
    found: dict[str, int] = {}
    for row in rows:
        state = row.get("state_desc") or row["state"]
        found[state] = found.get(state, 0) + row["endpoints"]
    return tuple(f"{state} {found[state]:,}" for state in sorted(found, key=lambda state: -found[state]))


def _by_service(rows: Iterable[Row]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The states of the services with most endpoints; nothing where services were not collected."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("service_name"):
            found.setdefault(row["service_name"], []).append(row)
    largest = sorted(found, key=lambda name: -sum(row["endpoints"] for row in found[name]))
    return ((name, _states(found[name])) for name in largest[:MAX_SERVICES])


def _of(count: int, total: int | None) -> str | Sentence:
    """The number of summed rows, and the total if it is larger."""
    if total is None or total <= count:
        return f"{count:,}"
    return say("{count} of about {total}", count=f"{count:,}", total=f"{total:,}")
