"""What an event log says, worked out row by row as docs/reference/pipeline.md has it: slow, and easy to believe.

Each function takes the rows of a log and gives those of one table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from math import ceil
from typing import Any

Json = dict[str, Any]
Row = tuple[Any, ...]
HOUR = timedelta(hours=1)


def of(rows: Iterable[Json], number: int, *subclasses: int) -> list[Json]:
    found = [row for row in rows if row["event_class"] == number]
    return sorted((row for row in found if not subclasses or row["event_subclass"] in subclasses), key=order)


def order(row: Json) -> Row:
    return (row["at"], row["source"], row["position"])


def spans(at: datetime) -> Iterator[tuple[str, datetime]]:
    minute = at.replace(second=0, microsecond=0)
    yield "minute", minute
    yield "hour", minute.replace(minute=0)


def grouped(rows: Iterable[Json], key: Callable[[Json], Row]) -> dict[Row, list[Json]]:
    found: dict[Row, list[Json]] = defaultdict(list)
    for row in rows:
        for span in spans(row["at"]):
            found[(*span, *key(row))].append(row)
    return found


def most(values: Iterable[Any]) -> Any:
    return max((value for value in values if value is not None), default=None)


def took(begin: datetime, end: datetime) -> int:
    return max(0, (end - begin) // timedelta(milliseconds=1))


# ---------------------------------------------------------------- waiting messages


def depths(rows: list[Json]) -> list[Row]:
    groups = grouped(
        of(rows, 1004, 1, 2), lambda row: (row["instance"], row["database"], row["event_subclass"] == 2, row["queue"])
    )
    return [
        (*key, some[-1]["depth"], most(one["depth"] for one in some), most(one["oldest_age_ms"] for one in some))
        for key, some in groups.items()
    ]


def waiting(rows: list[Json]) -> list[Row]:
    groups = grouped(of(rows, 1004, 3), lambda row: (row["instance"], row["database"], row["error"]))
    return [(*key, some[-1]["depth"], most(one["depth"] for one in some)) for key, some in groups.items()]


def attempts(rows: list[Json]) -> list[Row]:
    groups = grouped(of(rows, 1001), lambda row: (row["instance"], row["database"]))
    return [(*key, *_sums(some), most(one["attempts"] for one in some)) for key, some in groups.items()]


def _sums(some: list[Json]) -> list[int]:
    """Messages that left for the first time, and again."""
    return [sum(one["messages"] for one in some if one["event_subclass"] == kind) for kind in (1, 2)]


def episodes(rows: list[Json]) -> list[Row]:
    found = []
    sides = {(row["instance"], row["conversation_handle"]) for row in rows if row["conversation_handle"]}
    for side in sides:
        mine = [row for row in rows if (row["instance"], row["conversation_handle"]) == side]
        found += _episodes_of(mine)
    return found


def _episodes_of(rows: list[Json]) -> list[Row]:
    changes = [row for row in of(rows, 124) if row["state"] is None or row["event_subclass"] in (2, 3)]
    found: list[tuple[list[Json], Json | None]] = []
    current: list[Json] = []
    for row in sorted([*changes, *of(rows, 1003)], key=order):
        if row["event_class"] == 1003 and row["error"] is not None:
            current.append(row)
        elif current:
            found.append((current, row))
            current = []
    if current:
        found.append((current, None))
    return [_episode(some, end, of(rows, 1001)) for some, end in found]


def _episode(some: list[Json], end: Json | None, sends: list[Json]) -> Row:
    first = some[0]
    is_cleared = end is not None and end["event_class"] == 1003
    later = [send for send in sends if is_cleared and end and send["at"] >= end["at"]]
    way = (later[0]["route"], later[0]["next_hop"]) if later else (None, None)
    how = None if end is None else "cleared" if is_cleared else "conversation_ended"
    names = ("instance", "conversation_handle", "at", "database", "conversation_id", "is_initiator", "from_service")
    return (
        *(first[name] for name in names),
        first["to_service"],
        first["to_broker_instance"],
        first["error"],
        first["previous_error"] is not None,
        tuple(one["error"] for one in some),
        end and end["at"],
        end and took(first["at"], end["at"]),
        how,
        *way,
    )


# ---------------------------------------------------------------- how long it takes


def latencies(rows: list[Json]) -> list[Row]:
    measured = [*_first_attempts(rows), *_acknowledgements(rows), *_end_to_end(rows), *_in_queue(rows)]
    groups = grouped(measured, lambda row: (row["kind"], row["instance"], row["service"]))
    found = []
    for key, some in groups.items():
        values = sorted(one["ms"] for one in some)
        quantiles = [values[max(1, ceil(part * len(values))) - 1] for part in (0.5, 0.95, 0.99)]
        found.append((*key, len(values), *quantiles, values[-1]))
    return found


def _took(kind: str, instance: str, service: str, begin: datetime, end: datetime) -> Json:
    return {"kind": kind, "instance": instance, "service": service, "at": end, "ms": took(begin, end)}


def _first_attempts(rows: list[Json]) -> Iterator[Json]:
    for row in of(rows, 1001, 1):
        yield _took("first_attempt", row["instance"], row["to_service"], row["enqueued_at"], row["at"])


def _has(row: Json, number: int) -> bool:
    first, last = row["first_message_sequence_number"], row["message_sequence_number"]
    return first is not None and first <= number <= last


def _acknowledgements(rows: list[Json]) -> Iterator[Json]:
    for instance, conversation, direction in {
        (row["instance"], row["conversation_id"], row["from_initiator"]) for row in of(rows, 1001)
    }:
        mine = [
            row
            for row in rows
            if (row["instance"], row["conversation_id"], row["from_initiator"]) == (instance, conversation, direction)
        ]
        for number in range(10):
            sends = [row for row in of(mine, 1001) if _has(row, number)]
            came = [row for row in of(mine, 149, 3, 4) if _has(row, number)]
            came = [row for row in came if number < row["message_sequence_number"] or row["fragment"] == 1_048_575]
            if sends and came:
                service = min(row["to_service"] for row in sends)
                yield _took("acknowledgement", instance, service, sends[0]["at"], came[0]["at"])


def _end_to_end(rows: list[Json]) -> Iterator[Json]:
    def name(row: Json) -> Row:
        return (row["conversation_id"], row["from_initiator"], row["message_sequence_number"])

    sent = {name(row): row["at"] for row in reversed(of(rows, 124, 1, 2, 3))}
    arrived = {(name(row), row["instance"], row["to_service"]): row["at"] for row in reversed(of(rows, 124, 6, 7, 8))}
    for (message, instance, service), at in arrived.items():
        if message in sent:
            yield _took("end_to_end", instance, service, sent[message], at)


def _in_queue(rows: list[Json]) -> Iterator[Json]:
    arrived = {}
    for row in reversed(of(rows, 124, 6, 7, 8)):
        side = (row["instance"], row["conversation_handle"])
        arrived[(*side, row["message_sequence_number"], row["to_service"])] = row["at"]
    for (instance, handle, number, service), at in arrived.items():
        mine = [row for row in of(rows, 1002) if (row["instance"], row["conversation_handle"]) == (instance, handle)]
        if taken := [row for row in mine if _has(row, number)]:
            yield _took("in_queue", instance, service, at, taken[0]["at"])


# ---------------------------------------------------------------- links


def drops(rows: list[Json]) -> list[Row]:
    found = [row for row in rows if row["event_class"] in (140, 160, 161)]
    groups = grouped(found, lambda row: (row["instance"], row["database"], row["event_class"], row["error"]))
    return [(*key, len(some)) for key, some in groups.items()]


def connections(rows: list[Json]) -> list[Row]:
    found = []
    opened = of(rows, 138, 2, 6)
    for instance, connection in {(row["instance"], row["connection_id"]) for row in opened}:

        def mine(some: list[Json], instance: str = instance, connection: str = connection) -> list[Json]:
            return [row for row in some if (row["instance"], row["connection_id"]) == (instance, connection)]

        first, closed, logins = mine(opened)[0], mine(of(rows, 138, 5)), mine(of(rows, 159, 1))
        end = closed[-1]["at"] if closed else None
        stood = end and took(first["at"], end)
        peer = logins[0]["peer"] if logins else None
        accepted = first["event_subclass"] == 6
        found.append((instance, connection, first["at"], first["address"], accepted, end, peer, stood))
    return found


def connection_failures(rows: list[Json]) -> list[Row]:
    kinds = {3: "connect", 7: "send", 8: "receive"}
    groups = grouped(of(rows, 138, *kinds), lambda row: (row["instance"], row["address"], kinds[row["event_subclass"]]))
    return [(*key, len(some)) for key, some in groups.items()]


def uptime(rows: list[Json]) -> list[Row]:
    """Millisecond by millisecond would be slower still: what overlaps is put together first."""
    log_end = max(row["at"] for row in rows)
    stood: dict[Row, list[tuple[datetime, datetime]]] = defaultdict(list)
    for instance, _, opened, address, _, closed, peer, _ in connections(rows):
        stood[instance, peer or address].append((opened, max(opened, closed or log_end)))
    found = []
    for key, times in stood.items():
        hour = min(begin for begin, _ in times).replace(minute=0, second=0, microsecond=0)
        while hour <= max(end for _, end in times):
            parts = [(max(begin, hour), min(end, hour + HOUR)) for begin, end in times]
            if any(begin <= end and begin < hour + HOUR for begin, end in parts):
                found.append((hour, *key, _covered([part for part in parts if part[0] < part[1]])))
            hour += HOUR
    return found


def _covered(parts: list[tuple[datetime, datetime]]) -> int:
    total, until = timedelta(), None
    for begin, end in sorted(parts):
        total += max(timedelta(), end - (begin if until is None else max(begin, until)))
        until = end if until is None else max(until, end)
    return total // timedelta(milliseconds=1)


def mirrors(rows: list[Json]) -> list[Row]:
    found, before = [], {}
    for row in of(rows, 144):
        names = ("instance", "to_service", "to_broker_instance", "address", "mirror_address")
        route = tuple(row[name] for name in names)
        found.append((row["at"], *route, row["event_subclass"], row["principal"], before.get(route)))
        before[route] = row["principal"]
    return found


# ---------------------------------------------------------------- ways


def _uses(rows: list[Json]) -> list[Json]:
    found = []
    for row in rows:
        if row["event_class"] in (139, 140, 141, 1001) and row["route"] is not None:
            outside = row["event_class"] in (139, 140) or row["is_from_network"]
            found.append({**row, "database": "msdb" if outside else row["database"]})
    return found


def routes(rows: list[Json]) -> list[Row]:
    found = []
    groups = grouped(_uses(rows), lambda row: (row["instance"], row["database"], row["route"]))
    for key, some in groups.items():
        first, again = of(some, 1001, 1), of(some, 1001, 2)
        counts = (
            len(of(some, 141)),
            sum(row["messages"] for row in first),
            sum(row["bytes"] for row in first),
            sum(row["messages"] for row in again),
            sum(row["fragment"] == 0 for row in of(some, 139)),
            len(of(some, 140)),
        )
        found.append((*key, *counts))
    return found


def unused_routes(rows: list[Json], known: list[Row], days: int) -> list[Row]:
    used = {(row["instance"], row["database"], row["route"]): row["at"] for row in sorted(_uses(rows), key=order)}
    since = max(row["at"] for row in rows) - timedelta(days=days)
    found = [(*route, used.get(route[:3])) for route in known]
    return [route for route in found if route[-1] is None or route[-1] < since]


def compared(rows: list[Json], owners: dict[str, str] | None) -> list[Json]:
    found = []
    for row in [*of(rows, 1001), *(row for row in of(rows, 139) if row["fragment"] == 0)]:
        number = row["first_message_sequence_number" if row["event_class"] == 1001 else "message_sequence_number"]
        if row["next_hop"] is not None:
            found.append({**row, "number": number, **_compared(rows, row, number, owners)})
    return found


def _compared(rows: list[Json], row: Json, number: int | None, owners: dict[str, str] | None) -> Json:
    logins = [
        one for one in of(rows, 159, 1) if (one["instance"], one["address"]) == (row["instance"], row["next_hop"])
    ]
    peers = [one["peer"] for one in logins if one["at"] <= row["at"] and one["peer"] is not None]
    peer = peers[-1] if peers else None
    name = (row["conversation_id"], row["from_initiator"], number)
    tellers = [*of(rows, 124, 6, 7, 8), *of(rows, 139), *of(rows, 140)]
    reporters = {
        one["instance"]
        for one in tellers
        if (one["conversation_id"], one["from_initiator"], one["message_sequence_number"]) == name
        and number is not None
    } - {row["instance"]}
    expected = (owners or {}).get(row["next_hop"]) or peer
    verdict = "agrees"
    if expected is None or (peer is None and not reporters):
        verdict = "unseen"
    elif (peer is not None and peer != expected) or (reporters and expected not in reporters):
        verdict = "disagrees"
    return {"expected": expected, "peer": peer, "told": tuple(sorted(reporters)), "verdict": verdict}


def hops(rows: list[Json], owners: dict[str, str] | None) -> list[Row]:
    names = ("instance", "next_hop", "expected", "verdict")
    groups = grouped(compared(rows, owners), lambda row: tuple(row[name] for name in names))
    return [(*key, len(some)) for key, some in groups.items()]


def disagreements(rows: list[Json], owners: dict[str, str] | None) -> list[Row]:
    names = [
        "at",
        "instance",
        "conversation_id",
        "from_initiator",
        "number",
        "route",
        "next_hop",
        "expected",
        "peer",
        "told",
    ]
    return [tuple(row[name] for name in names) for row in compared(rows, owners) if row["verdict"] == "disagrees"]
