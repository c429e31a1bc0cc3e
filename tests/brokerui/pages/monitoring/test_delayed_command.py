"""`brokerui delayed` lists what the page Delayed shows, with the same words and the same remedy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from brokerui.messaging.models import ConversationEndpoint, Queue
from brokerui.messaging.services import queue_set_status
from tests.brokerui.cli.command_line import call_with
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import begun, stuck
from tests.brokerui.pages.monitoring.test_collected import NO_BINDING, TO_SHIP, bring_in, row

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    return call_with(capsys, monkeypatch)


def test_nothing_is_delayed(call: Callable[..., Any], wire: Wire) -> None:
    assert call("delayed").out == "No conversation is delayed.\n"
    assert json.loads(call("delayed", "--format", "json").out) == []


def test_hosted_conversations_with_what_mends_them(call: Callable[..., Any], viewer: Client, wire: Wire) -> None:
    stuck(wire, "Nowhere", 2)
    (handle,) = stuck(wire, "To", encryption=True)
    lines = call("delayed").out.splitlines()
    assert lines[0] == "A/one to Nowhere: 2 conversations, 2 messages"
    assert "A/one to To: 1 conversation, 1 message" in lines
    assert "      brokerui keys import A/one KEY_FILE --service To" in lines
    _, found = json.loads(call("delayed", "--format", "json").out)
    assert (found["transmission_status"], found["conversation_handle"]) == (9727, handle)
    assert found["remedies"][0]["command"] == "brokerui keys import A/one KEY_FILE --service To"
    assert found["says"] in viewer.get("/delayed/").content.decode()


def test_collected_messages_with_the_statement_for_their_status(call: Callable[..., Any], viewer: Client) -> None:
    bring_in(row(NO_BINDING, 12), routes=(TO_SHIP,))
    out = call("delayed").out
    assert out.startswith("shop/Orders to Ship: 12 messages, collected\n")
    assert "      CREATE REMOTE SERVICE BINDING [To Ship] TO SERVICE N'Ship' WITH USER = [Owner of Ship];" in out
    (found,) = json.loads(call("delayed", "--format", "json").out)
    assert (found["transmission_status"], found["messages"]) == (NO_BINDING, 12)


def lines_of(result: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.out.splitlines()]


def due_of(handles: list[str]) -> set[int | None]:
    return set(ConversationEndpoint.objects.filter(conversation_handle__in=handles).values_list("due", flat=True))


def test_messages_are_retried_after_a_look_at_what_would_be_done(call: Callable[..., Any], wire: Wire) -> None:
    handles = stuck(wire, "Nowhere", 2)
    before = due_of(handles)
    (plan,) = lines_of(call("delayed", "retry", "A/one", "Nowhere", "--dry-run"))
    assert (plan["result"], plan["messages"], plan["conversations"]) == ("would_be_done", 2, 2)
    assert due_of(handles) == before
    result = call("delayed", "retry", "A/one", "Nowhere")
    assert ([one["result"] for one in lines_of(result)], result.status) == (["done"], 0)
    assert max(due_of(handles)) < min(before)


def test_queues_are_switched_on_each_with_its_result(call: Callable[..., Any], wire: Wire) -> None:
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    result = call("delayed", "switch-on", "B/two/ToQ", "B/two/NoQ")
    on, refused = lines_of(result)
    assert (on["result"], on["queue"], on["number"]) == ("done", "ToQ", None)
    assert (refused["result"], refused["number"], result.status) == ("refused", 208, 1)
    assert not Queue.objects.filter(is_receive_enabled=False).exists()


def test_the_history_of_both_sides_is_printed(call: Callable[..., Any], wire: Wire) -> None:
    handle = begun("To")
    wire.carry()
    history = json.loads(call("conversation", "history", handle).out)
    assert [(side["side"], side["instance"]) for side in history["sides"]] == [("initiator", "A"), ("target", "B")]
    assert history["entries"]
    assert history["decisions"]
    unknown = call("conversation", "history", "00000000-0000-0000-0000-000000000000")
    assert (unknown.status, "8426" in unknown.err) == (4, True)
