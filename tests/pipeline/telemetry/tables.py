"""The tables of telemetry as rows that can be compared."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.pipeline.delta_tables import LOG, table_of

Row = tuple[Any, ...]
COLUMNS = {
    "depths": "span since instance database is_transmission_queue queue depth depth_max oldest_age_ms",
    "waiting": "span since instance database error conversations conversations_max",
    "attempts": "span since instance database sent sent_again attempts_max",
    "episodes": "instance conversation_handle began_at database conversation_id is_initiator from_service to_service "
    "to_broker_instance cause began_before causes ended_at milliseconds ended_by route next_hop",
    "latencies": "span since kind instance service messages p50_ms p95_ms p99_ms max_ms",
    "drops": "span since instance database event_class error drops",
    "connections": "instance connection_id opened_at address is_accepted closed_at peer milliseconds",
    "connection_failures": "span since instance address kind failures",
    "uptime": "since instance far milliseconds",
    "mirrors": "at instance to_service to_broker_instance address mirror_address state principal principal_before",
    "routes": "span since instance database route chosen messages bytes sent_again forwarded dropped",
    "unused_routes": "instance database route to_service address last_used",
    "hops": "span since instance next_hop expected verdict predictions",
    "disagreements": "at instance conversation_id from_initiator number route next_hop expected peer told",
}


def table(out: Path, name: str) -> list[Row]:
    """The rows in the order of the columns above, which are all that there are; of a result as any reader sees it."""
    names = COLUMNS[name].split()
    found = table_of(out / name) if (out / name / LOG).exists() else pq.read_table(out / name)
    assert set(found.column_names) == set(names)
    columns = [found.column(column).to_pylist() for column in names]
    return [tuple(map(hashable, row)) for row in zip(*columns, strict=True)]


def hashable(value: Any) -> Any:
    """Arrays as tuples."""
    return tuple(value) if isinstance(value, list) else value


def alike(found: list[Row], expected: list[Row]) -> bool:
    """Whether the rows are the same, in any order; shows some that are not."""
    odd, missing = Counter(found) - Counter(expected), Counter(expected) - Counter(found)
    assert (list(odd)[:3], list(missing)[:3]) == ([], [])
    return True
