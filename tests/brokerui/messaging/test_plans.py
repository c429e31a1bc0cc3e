"""No statement of a verb or a worker reads other conversations than its own, whatever the planner takes a table for.

PostgreSQL analyzes a table now and then. If all conversations had ended just then, it plans for an empty table until it
analyzes it again, however many begin meanwhile: any index looks as good as the right one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any

import pytest
from django.db import connection

from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import conversation_end
from brokerui.messaging.store.postgres import COMPARED
from brokerui.messaging.store.postgres_statements import Reply, SessionStatements
from routing.dialog.batch import ChangeSet, ClaimRequest
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_services import begin, bodies, receive, send
from tests.brokerui.messaging.test_store import NOW, endpoint, on_postgres, write

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
MANY = 600
_SCAN = re.compile(r"(?:Scan.* on|Scan using (?P<index>\w+) on) conversation_endpoints\b")
_COLUMN = re.compile(r"Index Cond: .*\b(conversation_handle|conversation_id|due)\b")
_OWN_INDEXES = ("conversation_endpoints_due", "conversation_endpoints_waiting")
"""Indexes of what a worker looks for: whatever they hold is wanted."""


def fill_with_idle_ones() -> None:
    write(broker_of("A").store, *(endpoint(f"{number}t") for number in range(MANY)))


def analyze_while_empty() -> None:
    """The pages of the rows that were there stay, so that the planner expects none on others either."""
    fill_with_idle_ones()
    ConversationEndpoint.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE conversation_endpoints")
        cursor.execute("SELECT reltuples, relpages FROM pg_class WHERE relname = 'conversation_endpoints'")
        rows, pages = cursor.fetchone()
    assert (rows, pages > 1) == (0, True)


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Reply]]:
    """The plans of statements on endpoints as they are sent from now on; each travels before its statement."""
    explained: dict[str, list[Reply]] = defaultdict(list)
    ask = SessionStatements.ask

    def explain(self: SessionStatements, sql: str, parameters: Mapping[str, Any]) -> Reply:
        if "conversation_endpoints" in sql:
            explained[sql].append(ask(self, f"EXPLAIN {sql}", parameters))
        return ask(self, sql, parameters)

    monkeypatch.setattr(SessionStatements, "ask", explain)
    return explained


def exchange(wire: Wire) -> None:
    """Three conversations to their end; several change in one commit."""
    handles = [begin() for _ in range(3)]
    for text in (b"1", b"2", b"3"):
        for handle in handles:
            send(handle, text)
        wire.carry()
    assert sorted(filter(None, (body for _ in handles for body in bodies()))) == [b"1"] * 3 + [b"2"] * 3 + [b"3"] * 3
    for handle in handles:
        conversation_end(instance="A", handle=handle)
    wire.carry()
    for _ in handles:
        for message in receive():
            conversation_end(instance="B", handle=message.conversation_handle)
    wire.carry()


def full_reads(plan: Reply) -> list[str]:
    """Return the nodes that read all endpoints, or all of an instance."""
    lines = [line for (line,) in plan.rows or ()]
    found = []
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        scan = _SCAN.search(line)
        if scan and scan["index"] not in _OWN_INDEXES and not _COLUMN.search(following) and "Bitmap Heap" not in line:
            found.append(f"{line.strip()} {following.strip()}")
    return found


@on_postgres
@pytest.mark.parametrize("is_analyzed", [True, False], ids=["while_empty", "never"])
def test_a_conversation_is_found_without_reading_the_others(
    wire: Wire, plans: dict[str, list[Reply]], is_analyzed: bool
) -> None:
    if is_analyzed:
        analyze_while_empty()
    fill_with_idle_ones()
    plans.clear()
    exchange(wire)
    assert {word for sql in plans for word in ("SELECT", "UPDATE", "DELETE") if sql.startswith(word)} == {
        "SELECT",
        "UPDATE",
        "DELETE",
    }
    assert all(any(plan.rows for plan in mine) for mine in plans.values())
    assert {sql: found for sql, mine in plans.items() for plan in mine if (found := full_reads(plan))} == {}


@on_postgres
@pytest.mark.parametrize("many", [1, 2, COMPARED, COMPARED + 1, 3 * COMPARED])
def test_many_endpoints_of_a_commit_are_written_by_statements_that_compare_few(
    wire: Wire, plans: dict[str, list[Reply]], many: int
) -> None:
    """The server compares each row that an UPDATE finds with each that it was given: of 200 that took three times as
    long as the rest."""
    fill_with_idle_ones()
    store, handles = broker_of("A").store, [f"{number}t" for number in range(many)]
    batch = store.claim(ClaimRequest(handles=tuple(handles)), NOW)
    plans.clear()
    changed = {handle: replace(batch.endpoints[handle], receive_sequence=7) for handle in handles}
    store.commit(ChangeSet(batch.token, NOW, endpoints=changed))
    written = ConversationEndpoint.objects.filter(receive_sequence=7)
    assert sorted(written.values_list("conversation_handle", flat=True)) == sorted(handles)
    assert sum(len(mine) for sql, mine in plans.items() if sql.startswith("UPDATE")) == ceil(many / COMPARED)
