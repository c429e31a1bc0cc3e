"""`brokerui delayed` lists what the page Delayed shows, with the same words and the same remedy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.brokerui.cli.command_line import call_with
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import stuck
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
