"""What both applications have written down, each in the transaction that did it, and whether it is the same.

Nothing of the product is asked: two tables of the applications' own, read over a connection of one's own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from scripts.postgres import NAME

SENT = "CREATE TABLE app_sent (conversation text, number bigint, digest text, PRIMARY KEY (conversation, number))"
RECEIVED = (
    "CREATE TABLE app_received (place bigserial PRIMARY KEY, conversation text, number bigint, digest text,"
    " at timestamptz DEFAULT clock_timestamp())"
)
HELD = {"conversation_endpoints": "outgoing > 0 OR held > 0", "queue_states": "true", "queue_messages": "true"}
"""By table: the rows that tell why messages wait."""


def connected(url: str) -> psycopg.Connection[tuple[Any, ...]]:
    """To the database of a deployment, as `DATABASE_URL` has it."""
    folder, _, database = url.partition("@/")[2].rpartition("/")
    return psycopg.connect(host=folder, dbname=database, user=NAME, autocommit=True)


def make_tables(url: str) -> None:
    with connected(url) as connection:
        connection.execute(SENT)
        connection.execute(RECEIVED)


@dataclass
class Verdict:
    """Numbers of messages."""

    sent: int = 0
    received: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    partial: int = 0
    """Received messages with another body than the sent one."""
    examples: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.out_of_order or self.partial)

    def note(self, what: str, conversation: str, number: int) -> None:
        setattr(self, what, getattr(self, what) + 1)
        if len(self.examples) < 10:
            self.examples.append(f"{what}: {conversation} {number}")


def compare(sender: str, receiver: str) -> Verdict:
    """The records of one application with those of the other."""
    with connected(sender) as connection:
        sent = {(c, n): d for c, n, d in connection.execute("SELECT conversation, number, digest FROM app_sent")}
    with connected(receiver) as connection:
        rows = connection.execute("SELECT conversation, number, digest FROM app_received ORDER BY place").fetchall()
    return judged(sent, rows)


def judged(sent: Mapping[tuple[str, int], str], rows: Sequence[tuple[str, int, str]]) -> Verdict:
    """Compare the sent digests, by conversation and number, with the received rows in their order."""
    verdict = Verdict(len(sent), len(rows))
    times, last = Counter((c, n) for c, n, _ in rows), defaultdict[str, int](lambda: -1)
    for conversation, number, digest in rows:
        if number < last[conversation]:
            verdict.note("out_of_order", conversation, number)
        last[conversation] = max(last[conversation], number)
        if sent.get((conversation, number)) != digest:
            verdict.note("partial", conversation, number)
    for key in sent:
        if times[key] != 1:
            verdict.note("doubled" if times[key] else "lost", *key)
    return verdict


def standstill(url: str) -> list[str]:
    """The rows by which one deployment says why messages wait, up to five of each table."""
    lines = []
    with connected(url) as connection:
        for table, condition in HELD.items():
            rows = connection.execute(f"SELECT * FROM {table} WHERE {condition} LIMIT 5")
            names = [column.name for column in rows.description or ()]
            lines += [f"{table}: {dict(zip(names, row, strict=True))}" for row in rows.fetchall()]
    return lines


def waiting(sender: str, receiver: str) -> int:
    """How many were sent that have not been received."""
    counts = []
    for url, table in ((sender, "app_sent"), (receiver, "app_received")):
        with connected(url) as connection:
            row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert row is not None
            counts.append(row[0])
    return int(counts[0] - counts[1])


def received_at(receiver: str) -> list[float]:
    """Return the moments of the receives, in seconds since 1970."""
    with connected(receiver) as connection:
        rows = connection.execute("SELECT extract(epoch FROM at) FROM app_received ORDER BY 1").fetchall()
    return [float(at) for (at,) in rows]
