"""Responses of the verbs and of the product's views have the shape that the OpenAPI description says."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.settings import api_settings

from brokerui.accounts.levels import Role
from brokerui.api.messaging.sys_views import VIEWS
from tests.brokerui.api.conformance import CheckedClient
from tests.brokerui.messaging.api.test_sys_views import shown
from tests.brokerui.messaging.api.test_verbs import BEGIN, NOWHERE, b64
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.site import reader_of_bodies

__all__ = ["shown"]
pytestmark = pytest.mark.django_db(transaction=True)
QUEUE = {"instance": "B", "database": "two", "queue": "ToQ"}


@pytest.fixture
def checked(wire: Wire, monkeypatch: Any) -> CheckedClient:
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": None, "user": None})
    return CheckedClient()


def test_a_conversation_to_its_end(checked: CheckedClient, wire: Wire) -> None:
    handle = checked.ask("dialog_begin", 201, body=BEGIN)["conversation_handle"]
    mine = {"path_parameters": {"handle": handle}}
    checked.ask("dialog_send", 201, body={"messages": [{"message_body": b64("1")}]}, **mine)
    body = {"kept": "to_send", "message_sequence_number": 0, "reason": "x"}
    checked.ask("dialog_body", 403, body=body, **mine)
    reader_of_bodies(Role.ADMINISTRATOR)
    assert checked.ask("dialog_body", body=body, **mine)["text"] == "1"
    assert checked.ask("dialog_body", body=body | {"act": "download"}, **mine)["message_body"] == b64("1")
    checked.ask("dialog_body", 404, body=body | {"message_sequence_number": 1}, **mine)
    wire.carry()
    assert checked.ask("queue_receive", path_parameters={**QUEUE, "queue": "None"}, body={}, status=404)
    assert len(checked.ask("queue_messages", path_parameters=QUEUE)["results"]) == 1
    checked.ask("queue_messages", 404, path_parameters={**QUEUE, "queue": "None"})
    received = checked.ask("queue_receive", path_parameters=QUEUE, body={"top": 1})
    assert len(received["messages"]) == 1
    receipt = {"path_parameters": {"receipt": received["receipt"]}}
    assert checked.ask("receipt_settle", body={"action": "commit"}, **receipt)["state"] == "committed"
    assert checked.ask("queue_receive", path_parameters=QUEUE, body={})["receipt"] is None
    assert checked.ask("dialog_read", **mine)["conversation_handle"] == handle
    past = checked.ask("dialog_history", **mine)
    assert [side["instance"] for side in past["sides"]] == ["A", "B"]
    assert past["conversation_id"] == checked.ask("dialog_read", **mine)["conversation_id"]
    checked.ask("dialog_history", 404, path_parameters={"handle": NOWHERE})
    assert checked.ask("queue_conversation_group", path_parameters=QUEUE, body={})["receipt"] is None
    checked.ask("dialogs_send", 201, body={"conversation_handles": [handle], "message_body": b64("2")})
    checked.ask("dialog_timer", body={"timeout_s": 60}, **mine)
    checked.ask("dialog_end", body={}, **mine)
    assert checked.ask("dialog_move", 404, body={"conversation_group_id": NOWHERE}, path_parameters={"handle": NOWHERE})
    assert checked.ask("queue_status", body={"enabled": True}, path_parameters=QUEUE) == {"enabled": True}
    place = {"instance": "B", "database": "two"}
    assert checked.ask("database_broker", body={"option": "ENABLE_BROKER"}, path_parameters=place)["broker_enabled"]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_rows_of_what_is_under_way(checked: CheckedClient, shown: None, view: Any) -> None:
    assert checked.ask(f"sys_{view.name}", query={"limit": 10})["next"] is None
