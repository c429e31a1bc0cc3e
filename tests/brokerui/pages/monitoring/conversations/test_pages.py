"""The list of conversations and the page of one, on the broker at work."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from brokerui.estate.selectors import live_version
from brokerui.eventlog.publishing import publish
from brokerui.eventlog.recording import recorder
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.selectors import EndpointRow
from brokerui.messaging.services import conversation_end, queue_set_status
from brokerui.pages.conversations import listing
from tests.brokerui.api.helpers import change
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import begun, stuck
from tests.brokerui.pages.monitoring.test_pages import headline, page

CONVERSATIONS = "/conversations/"
NOBODY = UUID(int=7)


def other_side(handle: str) -> str:
    near = ConversationEndpoint.objects.get(conversation_handle=handle)
    both = ConversationEndpoint.objects.filter(conversation_id=near.conversation_id)
    return both.exclude(conversation_handle=handle).get().conversation_handle


def route_of(client: Client, name: str) -> str:
    """The address of a route over REST."""
    found = client.get("/api/v1/routes/", {"name": name}).json()["results"]
    return f"/api/v1/routes/{found[0]['id']}/"


@pytest.mark.both_databases
def test_the_list_has_both_sides_and_filters(viewer: Client, wire: Wire) -> None:
    [held] = stuck(wire, "Nowhere")
    handle = begun("To")
    wire.carry()
    text = page(viewer, CONVERSATIONS)
    assert headline(text) == "3 conversation endpoints; 1 has messages to send."
    for one in (held, handle, other_side(handle)):
        assert f'href="/conversations/{one}/"' in text
    for query, there, missing in (
        ({"role": "target"}, other_side(handle), handle),
        ({"far_service": "Nowhere"}, held, handle),
        ({"instance": "B"}, other_side(handle), held),
        ({"service": "From", "state": "CO"}, held, other_side(handle)),
    ):
        shown = page(viewer, CONVERSATIONS, **query)
        assert f"/conversations/{there}/" in shown, query
        assert f"/conversations/{missing}/" not in shown, query
    assert "No conversation is like this" in page(viewer, CONVERSATIONS, database="none")


@pytest.mark.both_databases
@pytest.mark.parametrize("order", ["handle", "-handle", "id", "-id"])
def test_pages_in_an_order_have_every_side_once(wire: Wire, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        begun("To")
    wire.carry()
    monkeypatch.setattr(listing, "ROWS", 2)
    seen: list[EndpointRow] = []
    query = f"sort={order}"
    while query:
        context = listing.page_context(QueryDict(query))
        seen += [one.row for one in context["conversations"]]
        query = context["next_rows"]
    keys = [row.conversation_handle if "handle" in order else (row.conversation_id, row.is_initiator) for row in seen]
    assert len(seen) == len(set(keys)) == 6
    assert keys == sorted(keys, reverse=order.startswith("-"))


def test_an_order_without_an_index_is_refused(viewer: Client, wire: Wire) -> None:
    for address in (CONVERSATIONS, f"{CONVERSATIONS}conversations.csv"):
        assert viewer.get(address, {"sort": "lives"}).status_code == 400


def test_closed_ones_are_shown_where_they_are_wanted(viewer: Client, wire: Wire) -> None:
    handle = begun("To")
    wire.carry()
    target = other_side(handle)
    conversation_end(instance="B", handle=target)
    wire.carry()
    conversation_end(instance="A", handle=handle)
    wire.carry()
    assert ConversationEndpoint.objects.get(conversation_handle=target).state == "CD"
    assert "There is no conversation" in page(viewer, CONVERSATIONS)
    assert target in page(viewer, CONVERSATIONS, state="all")
    assert target in page(viewer, CONVERSATIONS, state="CD")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"state": "XX"}, "There is no state XX: conversations are SO, SI, CO, DO, DI, ER, CD."),
        ({"role": "both"}, "A side is initiator or target, not both."),
        ({"instance": "<Z>"}, "No instance &lt;Z&gt; is hosted here."),
        ({"find": "no guid"}, "No side of a conversation here has the handle or the identifier no guid."),
    ],
)
def test_a_filter_that_cannot_be_says_so(viewer: Client, wire: Wire, query: dict[str, str], says: str) -> None:
    assert says in page(viewer, CONVERSATIONS, **query)


@pytest.mark.parametrize("after", ["", "x", "\0 1", "a 99999999999999999999", "6f3f0d5e-0000-4000-8000-000000000001 x"])
def test_a_page_begins_after_any_text(viewer: Client, wire: Wire, after: str) -> None:
    assert viewer.get(CONVERSATIONS, {"after": after}).status_code == 200


@pytest.mark.both_databases
def test_a_handle_or_an_identifier_leads_to_the_conversation(viewer: Client, wire: Wire) -> None:
    handle = begun("To")
    wire.carry()
    row = ConversationEndpoint.objects.get(conversation_handle=handle)
    for wanted in (handle, handle.upper(), row.conversation_id):
        assert viewer.get(CONVERSATIONS, {"find": f" {wanted} "}).headers["Location"] == f"/conversations/{handle}/"
    assert (
        viewer.get(CONVERSATIONS, {"find": other_side(handle)}).headers["Location"].endswith(f"{other_side(handle)}/")
    )


def test_the_file_has_the_rows_that_the_page_has(viewer: Client, wire: Wire) -> None:
    held = stuck(wire, "Nowhere", 2)
    begun("To")
    wire.carry()
    response = viewer.get(f"{CONVERSATIONS}conversations.csv", {"far_service": "Nowhere"})
    lines = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert sorted(line["conversation_handle"] for line in lines) == sorted(held)
    assert {(line["state"], line["to_send"], line["is_initiator"]) for line in lines} == {("CO", "1", "1")}


def test_a_waiting_conversation_names_its_cause_and_where_its_message_is(viewer: Client, wire: Wire) -> None:
    [held] = stuck(wire, "Nowhere")
    text = page(viewer, f"{CONVERSATIONS}{held}/")
    assert headline(text).startswith("A LOCAL route")
    assert "Message 0 waits to be sent" in text
    assert "Attempt 2 follows" in text
    assert "transmission queue of A/one" in text
    assert "Not hosted here" in text
    assert 'class="decides"' in text
    assert "Retry now" not in text, "a viewer only looks"
    assert "End…" not in text


def test_the_remedy_of_delayed_stands_on_the_page_of_its_conversation(client: Client, wire: Wire) -> None:
    """The service exists on B, and A has no route to it any more."""
    change(client, "delete", route_of(client, "to"))
    [held, _other] = stuck(wire, "To", 2)
    text = page(client, f"{CONVERSATIONS}{held}/")
    assert "With this: delivered in" in text
    assert "Draft the remedy" in text
    assert "1 more conversation waits for the same reason" in text
    form = {"instance": "A", "database": "one", "service": "To", "next": f"{CONVERSATIONS}{held}/"}
    answer = client.post("/delayed/retry/", form, follow=True)
    assert answer.redirect_chain == [(f"{CONVERSATIONS}{held}/", 302)]
    assert "Messages for To are being retried now" in answer.content.decode()
    assert "Retried by administrator: 0 of 2 gone" in answer.content.decode()
    elsewhere = client.post("/delayed/retry/", form | {"next": "//evil.example/"})
    assert elsewhere.headers["Location"] == "/delayed/"


def test_routing_is_explained_by_the_version_of_then_and_a_difference_is_named(client: Client, wire: Wire) -> None:
    handle = begun("To")
    version = live_version()
    wire.carry()
    text = page(client, f"{CONVERSATIONS}{handle}/")
    assert "message 0: By <b>to</b> to <b>B</b>, <code>tcp://b.example:4022</code>." in text
    assert "<b>two</b> on <b>B</b>" in text
    assert re.search(r'<span class="mono">MATCH-\d</span>', text)
    assert f"As of version {version}, " in text
    assert f"&amp;as_of={version}" in text
    assert "now:" not in text
    change(client, "delete", route_of(client, "to"))
    text = page(client, f"{CONVERSATIONS}{handle}/")
    assert f"As of version {version}, " in text
    assert f"By version {version + 1}, now: " in text
    assert "message 0: By <b>to</b>" in text


def test_a_queue_of_a_side_that_is_off_is_switched_on_from_the_page(client: Client, wire: Wire) -> None:
    handle = begun("To")
    wire.carry()
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False, author="test")
    assert "Switch ToQ on" in page(client, f"{CONVERSATIONS}{handle}/")
    form = {"instance": "B", "database": "two", "queue": "ToQ", "next": f"{CONVERSATIONS}{handle}/"}
    answer = client.post("/delayed/switch-on/", form, follow=True)
    assert "The queue ToQ is on" in answer.content.decode()
    assert "Switch ToQ on" not in answer.content.decode()


@pytest.mark.both_databases
def test_both_sides_are_one_page_each_that_leads_to_the_other(operator: Client, wire: Wire) -> None:
    handle = begun("To", messages=2)
    wire.carry()
    text = page(operator, f"{CONVERSATIONS}{handle}/")
    assert headline(text) == "Everything has arrived; messages wait until an application receives them."
    assert f'href="/conversations/{other_side(handle)}/"' in text
    assert "Message 1 arrived in <b>ToQ</b>; nobody has received it" in text
    assert "2 acknowledged" in text
    assert "2 received · 2 not read" in text
    assert "End…" in text
    assert "Retry now" not in text, "nothing waits to be sent"
    only_retries = page(operator, f"{CONVERSATIONS}{handle}/", show="retry")
    assert "arrived in <b>ToQ</b>" not in only_retries
    assert "arrived in <b>ToQ</b>" in page(operator, f"{CONVERSATIONS}{handle}/", show="nothing of the kind")


def test_the_event_log_is_looked_through_where_it_is_on(
    viewer: Client, wire: Wire, settings: Any, tmp_path: Path
) -> None:
    handle = begun("To")
    off = page(viewer, f"{CONVERSATIONS}{handle}/", log="1")
    assert "The event log is off" in off
    assert "EVENT_LOG=1" in off
    settings.EVENT_LOG, settings.EVENT_LOG_FOLDER = True, tmp_path
    handle = begun("To")
    assert 'href="?show=message&amp;log=1"' in page(viewer, f"{CONVERSATIONS}{handle}/", show="message")
    assert "The event log has no file yet." in page(viewer, f"{CONVERSATIONS}{handle}/", log="1")
    wire.carry()
    recorder.close()
    publish(tmp_path)
    text = page(viewer, f"{CONVERSATIONS}{handle}/", log="1")
    assert "From the event log since" in text
    assert "Message 0: acknowledged" in text
    assert "Routing chose <b>to</b>, to <code>tcp://b.example:4022</code>" in text
    routing = page(viewer, f"{CONVERSATIONS}{handle}/", log="1", show="routing")
    assert "Routing chose" in routing
    assert "Message 0: acknowledged" not in routing
    for other in ("x", "-1", "99", "²"):
        assert "Look through it" in page(viewer, f"{CONVERSATIONS}{handle}/", log=other)


def test_a_conversation_that_is_gone_is_not_found(viewer: Client, wire: Wire) -> None:
    response = viewer.get(f"{CONVERSATIONS}{NOBODY}/")
    assert response.status_code == 404
    assert "There is no such conversation; it may have ended by now." in response.content.decode()


def test_the_number_of_queries_does_not_grow_with_messages(viewer: Client, wire: Wire) -> None:
    counts = []
    for messages in (1, 30):
        handle = begun("To", messages=messages)
        wire.carry()
        viewer.get(f"{CONVERSATIONS}{handle}/")
        counts.append(queries(viewer, f"{CONVERSATIONS}{handle}/"))
    assert counts[0] == counts[1]


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as found:
        client.get(path)
    return len(found)
