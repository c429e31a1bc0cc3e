"""Logs that no broker wrote: every event at random from few names, so that all that can meet does."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from brokerui.eventlog.schema import BOOLEAN, COLUMNS, INTEGER, MOMENT, SMALL, TEXT

Json = dict[str, Any]
BEGIN = datetime(2026, 3, 1, 11, 10, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
INSTANCES, DATABASES, CONVERSATIONS = ("host1", "host2", "host3"), ("Orders", "Parts"), ("c1", "c2", "c3")
HOPS = {f"tcp://{name}.example:4022": name for name in INSTANCES}
ERRORS, ROUTES, SERVICES = (9792, 8459, -1), ("r1", "r2"), ("Stock", "Entry")
SCHEMA = pa.schema(
    [
        (
            name,
            {
                TEXT: pa.string(),
                INTEGER: pa.int64(),
                SMALL: pa.int32(),
                BOOLEAN: pa.bool_(),
                MOMENT: pa.timestamp("ms", tz="UTC"),
            }[kind],
        )
        for name, kind in COLUMNS.items()
    ]
)


def random_log(rng: random.Random, count: int) -> list[Json]:
    """Write a number of events, in files of a hundred."""
    return [
        event(rng, f"events-{number // 100}", number % 100 + 1, *rng.choice(list(_FILL.items())))
        for number in range(count)
    ]


def event(rng: random.Random, source: str, position: int, number: int, fill: Callable[[random.Random], Json]) -> Json:
    """One row; at one of few moments, so that some are the same."""
    row = dict.fromkeys(COLUMNS)
    return row | {
        "source": source,
        "position": position,
        "at": BEGIN + rng.randrange(700) * 11_003 * MILLISECOND,
        "host": "machine",
        "instance": rng.choice(INSTANCES),
        "event_class": number,
        "event_name": f"event {number}",
        "database": rng.choice((*DATABASES, None)),
        **fill(rng),
    }


def write_log(rows: Sequence[Json], folder: Path) -> str:
    """A file for each source, in a folder for the day."""
    day = folder / "date=2026-03-01"
    day.mkdir(parents=True)
    for source in {row["source"] for row in rows}:
        mine = [row for row in rows if row["source"] == source]
        pq.write_table(pa.Table.from_pylist(mine, schema=SCHEMA), day / f"{source}.parquet")
    return str(folder)


def _side(rng: random.Random) -> Json:
    conversation = rng.choice(CONVERSATIONS)
    return {
        "conversation_id": conversation,
        "conversation_handle": f"{conversation}-{rng.choice('it')}",
        "is_initiator": rng.random() < 0.5,
        "from_initiator": rng.random() < 0.5,
        "from_service": rng.choice(SERVICES),
        "to_service": rng.choice(SERVICES),
    }


def _way(rng: random.Random) -> Json:
    return {"route": rng.choice((*ROUTES, None)), "next_hop": rng.choice((*HOPS, None))}


def _range(rng: random.Random) -> Json:
    first = rng.choice((0, 0, 1, 2, None))
    last = None if first is None else first + rng.randrange(4)
    return {"first_message_sequence_number": first, "message_sequence_number": last}


def _conversation(rng: random.Random) -> Json:
    subclass = rng.randrange(1, 14)
    number = rng.randrange(5) if subclass in (1, 2, 3, 6, 7, 8) else None
    state = rng.choice(("CO", "CO", "CO", "CO", None))
    size = {"messages": 1, "bytes": rng.randrange(1_000)} if number is not None else {}
    return {**_side(rng), **size, "event_subclass": subclass, "state": state, "message_sequence_number": number}


def _connection(rng: random.Random) -> Json:
    return {
        "event_subclass": rng.randrange(1, 9),
        "connection_id": f"k{rng.randrange(12)}",
        "address": rng.choice(list(HOPS)),
    }


def _forwarded(rng: random.Random) -> Json:
    number = rng.randrange(5)
    names = {name: value for name, value in _side(rng).items() if name != "conversation_handle"}
    return {**names, **_way(rng), "message_sequence_number": number, "fragment": rng.choice((0, 0, 1))}


def _sent(rng: random.Random) -> Json:
    return {
        **_side(rng),
        **_way(rng),
        **_range(rng),
        "event_subclass": rng.choice((1, 2)),
        "messages": rng.randrange(5),
        "bytes": rng.randrange(1_000),
        "attempts": rng.randrange(4),
        "enqueued_at": BEGIN + rng.randrange(5_000_000) * MILLISECOND,
    }


def _sample(rng: random.Random) -> Json:
    subclass = rng.randrange(1, 6)
    queue = {"queue": rng.choice(("dbo.Q1", "dbo.Q2"))} if subclass == 1 else {}
    error = {"error": rng.choice((*ERRORS, None))} if subclass == 3 else {}
    age = rng.choice((None, rng.randrange(100_000)))
    return {"event_subclass": subclass, "depth": rng.randrange(100), "oldest_age_ms": age, **queue, **error}


_FILL: dict[int, Callable[[random.Random], Json]] = {
    124: _conversation,
    138: _connection,
    139: _forwarded,
    140: lambda rng: {**_forwarded(rng), "error": rng.choice(ERRORS)},
    141: lambda rng: {"route": rng.choice((*ROUTES, None)), "is_from_network": rng.choice((True, False, None))},
    144: lambda rng: {
        "event_subclass": rng.randrange(1, 4),
        "address": rng.choice(list(HOPS)),
        "mirror_address": "tcp://m:1",
        "to_service": rng.choice(SERVICES),
        "principal": rng.choice((*HOPS, None)),
    },
    149: lambda rng: {
        **_range(rng),
        "event_subclass": rng.randrange(1, 5),
        "conversation_id": rng.choice(CONVERSATIONS),
        "from_initiator": rng.random() < 0.5,
        "fragment": rng.choice((1_048_575, 1_048_575, 3)),
    },
    159: lambda rng: {
        "event_subclass": rng.choice((1, 1, 5)),
        "connection_id": f"k{rng.randrange(12)}",
        "address": rng.choice(list(HOPS)),
        "peer": rng.choice((*INSTANCES, None)),
    },
    160: lambda rng: {"event_subclass": 1, "error": rng.choice((*ERRORS, None)), "conversation_id": "c1"},
    161: lambda rng: {"error": rng.choice((*ERRORS, None))},
    1001: _sent,
    1002: lambda rng: {**_range(rng), "conversation_handle": _side(rng)["conversation_handle"]},
    1003: lambda rng: {
        **_side(rng),
        "error": rng.choice((*ERRORS, None, None)),
        "previous_error": rng.choice((*ERRORS, None)),
    },
    1004: _sample,
}
