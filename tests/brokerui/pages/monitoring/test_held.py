"""What holds a conversation: *Delayed*, its explanation and REST say one sentence, which is true."""

from __future__ import annotations

import html
import json
import re

from django.test import Client

from brokerui.estate.services import estate_import
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import queue_set_status
from routing.documents.estate_document import read_estate
from tests.brokerui.messaging.hosted import ADDRESSES, DOCUMENT, Wire
from tests.brokerui.pages.monitoring.conftest import begun, stuck


def cause(client: Client) -> str:
    """The reason of the first group on the page."""
    text = re.sub(r"\s+", " ", client.get("/delayed/").content.decode())
    found = re.search(r'<td class="(?:cause|status)" title="([^"]*)"', text)
    assert found
    return html.unescape(found[1])


def explained(client: Client) -> str:
    """What the explanation says that the page of the delayed links to."""
    text = client.get("/delayed/").content.decode()
    found = re.search(r'id="why-1" href="([^"]*)"', text)
    assert found
    page = client.get(html.unescape(found[1])).content.decode()
    held = re.search(r'<p class="notice held"><b>[^<]*</b> ([^<]*)</p>', page)
    assert held
    return html.unescape(held[1])


def over_rest(client: Client, handle: str) -> str:
    held: str = client.get(f"/api/v1/dialogs/{handle}/").json()["held"]
    return held


def agreed(client: Client, handle: str) -> str:
    """The sentence, which all of them say."""
    sentence = cause(client)
    assert explained(client) == sentence
    assert over_rest(client, handle) == sentence
    return sentence


def test_what_routing_holds_is_said_as_routing_says_it_now(viewer: Client, wire: Wire) -> None:
    (handle,) = stuck(wire, "Nowhere")
    sentence = agreed(viewer, handle)
    assert sentence.startswith("A LOCAL route matched, but no service of this name")
    assert sentence.endswith("That still holds: routing keeps it in one on A (service not found).")


def test_security_holds_what_routing_delivers(viewer: Client, wire: Wire) -> None:
    (handle,) = stuck(wire, "To", encryption=True)
    sentence = agreed(viewer, handle)
    assert "no remote service binding" in sentence
    assert "Routes play no part in it: once that is mended, routing delivers it in " in sentence


def test_routes_that_changed_since_the_last_attempt_are_told(viewer: Client, wire: Wire) -> None:
    """The status is of the last attempt; routing is asked now."""
    (handle,) = stuck(wire, "Nowhere")
    document = json.loads(json.dumps(DOCUMENT))
    document["instances"][1]["databases"][0]["services"].append({"name": "Nowhere", "queue": "ToQ"})
    route = {"name": "nowhere", "remote_service_name": "Nowhere", "address": ADDRESSES["B"]}
    document["instances"][0]["databases"][0]["routes"].append(route)
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    held = agreed(viewer, handle)
    assert held.startswith("When it was last tried: A LOCAL route matched")
    assert held.endswith("at the next attempt, routing delivers it in two on B.")


def test_a_queue_that_is_off_holds_what_is_sent(viewer: Client, wire: Wire) -> None:
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    handle = begun("To")
    wire.is_cut = True
    wire.carry()
    ConversationEndpoint.objects.filter(conversation_handle=handle).update(attempts=1)
    sentence = agreed(viewer, handle)
    assert sentence.startswith("The queue ToQ (two, B) of the target is off, so it takes nothing.")
    assert sentence.endswith("Once it is on, routing delivers it in two on B.")


def test_what_is_lost_behind_the_routes_is_no_fault_of_theirs(viewer: Client, wire: Wire) -> None:
    handle = begun("To")
    wire.is_cut = True
    wire.carry()
    ConversationEndpoint.objects.filter(conversation_handle=handle).update(attempts=1)
    assert "Routes do not hold it; look at the other server" in agreed(viewer, handle)


def test_a_question_of_ones_own_is_told_of_what_waits(viewer: Client, wire: Wire) -> None:
    stuck(wire, "To", encryption=True)
    page = html.unescape(viewer.get("/where/", {"from": "A/one", "to": "To"}).content.decode())
    assert "A conversation like this waits now:</b> " + cause(viewer) in page
    for other in ({"from": "B/two", "to": "To"}, {"from": "A/one", "to": "To", "service": "Other"}):
        assert "waits now" not in viewer.get("/where/", other).content.decode()


def test_what_is_on_its_way_is_held_by_nothing(viewer: Client, wire: Wire) -> None:
    assert over_rest(viewer, begun("To")) == ""
