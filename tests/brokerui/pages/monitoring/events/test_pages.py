"""The page *Events* on rows as the hosted instances record them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.eventlog.exceptional import HOUR_MS, Exceptional, ExceptionSums
from brokerui.eventlog.services import exceptions_add
from brokerui.messaging.clock import now
from brokerui.pages.events import listing
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import begun
from tests.brokerui.pages.monitoring.test_pages import headline, page, rows

EVENTS = "/events/"
ONE = "6f3f0d5e-0000-4000-8000-000000000001"


def tell(number: int, *, times: int = 1, conversation_id: str = "", ago: int = 0, **changes: Any) -> None:
    """Add a row; a lower number is older."""
    at = now() - ago - 1000 + number
    kind = Exceptional("A", 138, 3, "", 0, "", f"tcp://host{number}:4022", "refused")._replace(**changes)
    exceptions_add({(kind, at - at % HOUR_MS): ExceptionSums(times, at, at, conversation_id, conversation_id)})


def test_a_row_says_what_how_often_where_and_why(viewer: Client, wire: Wire) -> None:
    tell(1, times=1200)
    tell(2, event_class=160, event_subclass=1, database="one", error=11218, conversation_id=ONE, target="<To>")
    text = page(viewer, EVENTS)
    assert headline(text).endswith("UTC, most often Broker:Connection (1,200).")
    assert headline(text).startswith("1,201 exceptional events since ")
    assert "Connect Failed" in text
    assert "A next hop cannot be reached." in text
    assert "<b>11218</b>" in text
    assert "look at the way back." in text
    assert "A/one" in text
    assert "&lt;To&gt;" in text
    assert f'href="/conversations/?find={ONE}"' in text
    assert text.index("11218") < text.index("tcp://host1:4022"), "the latest first"


def test_filters_keep_the_rows_and_the_count_that_they_name(viewer: Client, wire: Wire) -> None:
    tell(1)
    tell(2, instance="B", event_class=161, event_subclass=0, conversation_id=ONE)
    tell(3, database="one", error=9736, event_class=1003, target="To")
    tell(4, ago=8 * HOUR_MS)
    for query, there in (
        ({"instance": "B"}, 2),
        ({"database": "one"}, 3),
        ({"event_class": "Broker:Corrupted Message"}, 2),
        ({"error": "9736"}, 3),
        ({"conversation_id": ONE.upper()}, 2),
    ):
        text = page(viewer, EVENTS, **query)
        assert [n for n in range(1, 5) if f"tcp://host{n}:" in text] == [there], query
        assert headline(text).startswith("1 exceptional event since ")
    assert "tcp://host4:" not in page(viewer, EVENTS, since="6h")
    assert "tcp://host4:" in page(viewer, EVENTS, since="24h")
    assert headline(page(viewer, EVENTS, error="7")) == "No exceptional event is like this."
    assert [row["address"] for row in rows(viewer, f"{EVENTS}events.csv", error="9736")] == ["tcp://host3:4022"]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"instance": "<Z>"}, "No instance &lt;Z&gt; is hosted here."),
        ({"event_class": "Deadlock"}, "There is no exceptional event Deadlock: they are Broker:Conversation, "),
        ({"error": "-1"}, "An error is a number from 1 to 999999999, not -1."),
        ({"conversation_id": "no guid"}, "The identifier of a conversation is a GUID, not no guid."),
        ({"since": "2h"}, "Events are shown since 1h, 6h, 24h, 7d, 30d or a moment as 2030-01-31 12:00, not 2h."),
        ({"until": "6h"}, "Events are shown until a moment as 2030-01-31 12:00, not 6h."),
    ],
)
def test_a_filter_that_cannot_be_says_so(viewer: Client, wire: Wire, query: dict[str, str], says: str) -> None:
    text = page(viewer, EVENTS, **query)
    assert says in text
    assert headline(text) == "No event can have these values."
    assert rows(viewer, f"{EVENTS}events.csv", **query) == []


def test_older_rows_are_a_page_further(viewer: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "ROWS", 2)
    for number in (1, 2, 3):
        tell(number)
    first = page(viewer, EVENTS, event_class="138")
    assert ("tcp://host3:" in first, "tcp://host1:" in first) == (True, False)
    older = first.split('rel="next"')[0].rpartition('href="?')[2].partition('"')[0]
    text = page(viewer, f"{EVENTS}?{older.replace('&amp;', '&')}")
    assert ("tcp://host3:" in text, "tcp://host1:" in text) == (False, True)
    assert 'href="?event_class=138">Newest' in text


def test_the_page_of_a_conversation_and_the_overview_lead_to_events(viewer: Client, wire: Wire) -> None:
    handle = begun("To")
    assert 'href="/events/?conversation_id=' in page(viewer, f"/conversations/{handle}/")
    assert 'href="/events/?since=1h"' in page(viewer, "/overview/")
