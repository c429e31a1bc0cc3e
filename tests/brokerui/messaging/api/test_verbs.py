"""The verbs over REST: what each does, what it refuses with which number, and what happens when it is sent twice."""

from __future__ import annotations

import base64
import json
import threading
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client

from brokerui.api.messaging import waiting
from brokerui.estate.models import AuditEntry
from brokerui.estate.services import estate_import
from brokerui.messaging.leases import services as leases
from brokerui.messaging.leases.models import Answer, Lease, Use
from brokerui.messaging.models import ConversationEndpoint, QueueMessage
from brokerui.messaging.queue_address import QueueAddress
from routing.documents.estate_document import read_estate
from tests.brokerui.messaging.hosted import DOCUMENT, ONE, Wire

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/v1"
BEGIN = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
QUEUE = f"{API}/queues/B/two/ToQ"
COLUMNS = (
    "status priority queuing_order conversation_group_id conversation_handle message_sequence_number service_name"
    " service_id service_contract_name service_contract_id message_type_name message_type_id validation message_body"
    " message_enqueue_time"
)
NOWHERE = "00000000-0000-4000-8000-000000000009"


def post(client: Client, path: str, body: Any = None, status: int = 200, **headers: str) -> Any:
    """The answer, which has to have this status."""
    sent = body if isinstance(body, (str, bytes)) else json.dumps({} if body is None else body)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    response = client.post(path, sent, content_type="application/json", headers=names)
    assert response.status_code == status, response.content
    return response.json()


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def begin(client: Client, **named: Any) -> str:
    return str(post(client, f"{API}/dialogs/", BEGIN | named, 201)["conversation_handle"])


def send(client: Client, handle: str, *texts: str) -> None:
    messages = [{"message_body": b64(text)} for text in texts]
    post(client, f"{API}/dialogs/{handle}/messages/", {"messages": messages}, 201)


def receive(client: Client, **named: Any) -> Any:
    return post(client, f"{QUEUE}/receive/", named)


def texts(received: Any) -> list[str]:
    return [base64.b64decode(one["message_body"]).decode() for one in received["messages"]]


def settle(client: Client, received: Any, action: Any = "commit", status: int = 200) -> Any:
    return post(client, f"{API}/receipts/{received['receipt']}/", {"action": action}, status)


# ---------------------------------------------------------------- there and back


def test_a_conversation_to_its_end(wire: Wire, operator: Client) -> None:
    handle = begin(operator)
    post(operator, f"{API}/dialogs/{handle}/messages/", {"message_body": b64("1")}, 201)
    send(operator, handle, "2", "3")
    wire.carry()
    received = receive(operator, top=2)
    assert texts(received) == ["1", "2"]
    assert settle(operator, received) == {"receipt": received["receipt"], "state": "committed", "messages": 2}
    there = received["messages"][0]["conversation_handle"]
    last = receive(operator)
    assert texts(last) == ["3"]
    settle(operator, last)
    post(operator, f"{API}/dialogs/{there}/end/")
    wire.carry()
    ended = post(operator, f"{API}/queues/A/one/FromQ/receive/")
    assert ended["messages"][0]["message_type_name"].endswith("/EndDialog")
    post(operator, f"{API}/dialogs/{handle}/end/")
    settle(operator, ended)
    assert not ConversationEndpoint.objects.filter(conversation_handle=handle).exists()


def test_a_receive_of_what_is_not_there(wire: Wire, operator: Client) -> None:
    """A conversation is refused, also for a receive that would wait; a group counts as one without messages."""
    unknown = "6f3f0d5e-0000-4000-8000-0000000000ff"
    answer = post(operator, f"{QUEUE}/receive/", {"conversation_handle": unknown, "wait_ms": 30_000}, 404)
    assert (answer["number"], unknown in answer["detail"]) == (8426, True)
    assert receive(operator, conversation_group_id=unknown)["messages"] == []


def test_the_next_group_is_locked_and_received_from(wire: Wire, operator: Client) -> None:
    nothing = post(operator, f"{QUEUE}/conversation_group/")
    assert nothing == {"receipt": None, "conversation_group_id": None, "until": None}
    for text in ("1", "2"):
        send(operator, begin(operator), text)
    wire.carry()
    group = post(operator, f"{QUEUE}/conversation_group/", {"lease_s": 60})
    other = receive(operator)
    assert other["conversation_group_id"] != group["conversation_group_id"]
    received = receive(operator, receipt=group["receipt"])
    assert (received["receipt"], received["conversation_group_id"]) == (
        group["receipt"],
        group["conversation_group_id"],
    )
    assert sorted(texts(received) + texts(other)) == ["1", "2"]
    assert receive(operator)["receipt"] is None
    assert [settle(operator, one)["messages"] for one in (received, other)] == [1, 1]
    assert post(operator, f"{QUEUE}/receive/", {"receipt": group["receipt"]}, 410)
    assert post(operator, f"{QUEUE}/receive/", {"receipt": NOWHERE}, 404)
    beside = post(operator, f"{QUEUE}/receive/", {"receipt": NOWHERE, "wait_ms": 1}, 422)
    assert "cannot stand beside a receipt" in json.dumps(beside)


def test_the_next_group_is_waited_for(wire: Wire, operator: Client, monkeypatch: Any) -> None:
    handle = begin(operator)

    def pause(_bell: QueueAddress, _seconds: float) -> None:
        send(operator, handle, "1")
        wire.carry()

    monkeypatch.setattr(waiting, "wait_for_notification", pause)
    assert post(operator, f"{QUEUE}/conversation_group/", {"wait_ms": 20_000})["receipt"] is not None


def test_a_message_on_several_conversations_is_sent_once_or_not_at_all(wire: Wire, operator: Client) -> None:
    one, other = begin(operator), begin(operator)
    body = {"conversation_handles": [one, other.upper()], "messages": [{"message_body": b64("1")}, {}]}
    path = f"{API}/dialogs/messages/"
    sent = post(operator, path, body, 201, Idempotency_Key="several")
    assert sent == {"conversation_handles": [one, other], "messages": 2}
    assert post(operator, path, body, 201, Idempotency_Key="several") == sent
    wire.carry()
    rows = QueueMessage.objects.values_list("conversation_handle", "message_sequence_number")
    assert sorted(number for _, number in rows) == [0, 0, 1, 1]
    post(operator, f"{API}/dialogs/{other}/end/")
    for handles, status, number in (
        ([one, other], 409, 8429),
        ([one, one], 422, 8451),
        ([one, NOWHERE], 404, 8426),
        ([], 422, None),
        ([one, QueueMessage.objects.all()[0].conversation_handle], 422, None),
    ):
        refused = post(operator, path, {"conversation_handles": handles, "message_body": b64("2")}, status)
        assert refused.get("number") == number
    wire.carry()
    assert QueueMessage.objects.filter(message_body=b"2").count() == 0


def test_copies_on_several_conversations_are_bounded(wire: Wire, operator: Client) -> None:
    handles = [f"00000000-0000-4000-8000-{number:012}" for number in range(1_000)]
    many = {"conversation_handles": handles, "messages": [{}] * 11}
    large = {"conversation_handles": handles, "message_body": b64("x" * 70_000)}
    for body in (many, large):
        assert "at most 10000 copies and 64 MB" in json.dumps(post(operator, f"{API}/dialogs/messages/", body, 422))


def test_a_row_of_a_queue_has_all_columns(wire: Wire, operator: Client) -> None:
    handle = begin(operator)
    send(operator, handle, "1")
    wire.carry()
    [row] = receive(operator)["messages"]
    assert list(row) == COLUMNS.split()
    assert (row["service_name"], row["service_id"], row["service_contract_id"]) == ("To", 65536, 6)


@pytest.mark.parametrize("name", ["dbo.in%2Fout%2Freceive", "dbo.in/out/receive"])
def test_the_name_of_a_queue_may_hold_slashes(wire: Wire, operator: Client, name: str) -> None:
    document = deepcopy(DOCUMENT)
    service = {"name": "Slashed", "queue": "dbo.in/out/receive", "contracts": ["DEFAULT"]}
    document["instances"][0]["databases"][0]["services"].append(service)
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    send(operator, begin(operator, to_service="Slashed"), "1")
    queue = f"{API}/queues/A/one/{name}"
    received = post(operator, f"{queue}/receive/", {})
    assert texts(received) == ["1"]
    settle(operator, received)
    assert post(operator, f"{queue}/status/", {"enabled": False}) == {"enabled": False}
    assert post(operator, f"{queue}/receive/", {}, 409)["number"] == 9617
    assert "dbo.in/out" in post(operator, f"{API}/queues/A/one/dbo.in/out/receive/", {}, 404)["detail"]


def test_one_dialog_can_be_read(wire: Wire, viewer: Client, operator: Client) -> None:
    handle = begin(operator, to_service="Nobody")
    send(operator, handle, "1")
    wire.carry()
    row = viewer.get(f"{API}/dialogs/{handle.upper()}/").json()
    assert (row["conversation_handle"], row["state_desc"], row["outgoing"]) == (handle, "CONVERSING", 1)
    assert row["transmission_status"].startswith("9796: ")


def test_the_end_with_an_error_tells_the_other_side(wire: Wire, operator: Client) -> None:
    handle = begin(operator)
    send(operator, handle, "1")
    wire.carry()
    post(operator, f"{API}/dialogs/{handle}/end/", {"error": {"code": 7, "description": "out of stock"}})
    wire.carry()
    error, first = receive(operator)["messages"]
    assert (error["message_type_name"].rsplit("/")[-1], first["message_sequence_number"]) == ("Error", 0)
    assert b"out of stock" in base64.b64decode(error["message_body"])


def test_the_end_with_cleanup_is_audited(wire: Wire, operator: Client) -> None:
    handle = begin(operator)
    post(operator, f"{API}/dialogs/{handle}/end/", {"cleanup": True})
    entry = AuditEntry.objects.get(action="dialog.cleanup")
    assert (entry.author, handle in entry.note) == ("operator", True)
    assert not ConversationEndpoint.objects.exists()


def test_move_and_timer(wire: Wire, operator: Client) -> None:
    one, other = begin(operator), begin(operator)
    group = ConversationEndpoint.objects.get(conversation_handle=other).conversation_group_id
    post(operator, f"{API}/dialogs/{one}/move/", {"conversation_group_id": group})
    assert ConversationEndpoint.objects.filter(conversation_group_id=group).count() == 2
    post(operator, f"{API}/dialogs/{one}/timer/", {"timeout_s": 60})
    assert ConversationEndpoint.objects.get(conversation_handle=one).dialog_timer is not None


def test_a_queue_is_switched_off_and_on(wire: Wire, operator: Client) -> None:
    assert post(operator, f"{QUEUE}/status/", {"enabled": False}) == {"enabled": False}
    refused = post(operator, f"{QUEUE}/receive/", status=409)
    assert (refused["code"], refused["number"]) == ("refused", 9617)
    entry = AuditEntry.objects.get(action="estate.edit")
    assert (entry.author, entry.note) == ("operator", "B/two/ToQ off")
    post(operator, f"{QUEUE}/status/", {"enabled": True})
    assert receive(operator)["receipt"] is None


# ---------------------------------------------------------------- refused requests


@pytest.mark.parametrize(
    ("path", "body", "status", "number"),
    [
        ("dialogs/", BEGIN | {"from_service": "None"}, 422, 8423),
        ("dialogs/", BEGIN | {"contract": "None"}, 422, 8425),
        ("dialogs/", BEGIN | {"lifetime_s": 0}, 422, 8411),
        ("dialogs/", BEGIN | {"to_broker_instance": "nothing"}, 422, 8413),
        ("dialogs/", BEGIN | {"related_conversation": NOWHERE}, 404, 8426),
        ("dialogs/", BEGIN | {"instance": "Z"}, 404, None),
        ("dialogs/", BEGIN | {"database": "none"}, 404, 911),
        ("dialogs/", BEGIN | {"from_service": 1}, 422, None),
        ("dialogs/", BEGIN | {"x": 1}, 422, None),
        ("dialogs/", {}, 422, None),
        ("dialogs/", "{", 400, None),
        (f"dialogs/{NOWHERE}/messages/", {"message_body": "AA=="}, 404, 8426),
        ("dialogs/nothing/messages/", {"message_body": "AA=="}, 404, 8426),
        (f"dialogs/{NOWHERE}/messages/", {"message_body": "not base64"}, 422, None),
        (f"dialogs/{NOWHERE}/messages/", {"messages": []}, 422, None),
        (f"dialogs/{NOWHERE}/end/", {}, 404, 8426),
        (f"dialogs/{NOWHERE}/end/", {"error": {"code": 1, "description": "x"}, "cleanup": True}, 422, None),
        (f"dialogs/{NOWHERE}/move/", {"conversation_group_id": NOWHERE}, 404, 8426),
        (f"dialogs/{NOWHERE}/timer/", {"timeout_s": 1}, 404, 8426),
        ("dialogs/HANDLE/messages/", {"message_type": "None"}, 422, 8428),
        ("dialogs/HANDLE/messages/", {"message_body": None}, 422, 8433),
        ("dialogs/HANDLE/end/", {"error": {"code": 0, "description": "x"}}, 422, 8419),
        ("dialogs/HANDLE/end/", {"error": {"code": 1, "description": ""}}, 422, 8419),
        ("dialogs/HANDLE/end/", {"error": {"code": 1 << 31, "description": "x"}}, 422, 8419),
        ("dialogs/HANDLE/move/", {"conversation_group_id": NOWHERE}, 422, 8439),
        ("queues/Z/two/ToQ/receive/", {}, 404, None),
        ("queues/B/none/ToQ/receive/", {}, 404, 911),
        ("queues/B/two/None/receive/", {}, 404, 208),
        ("queues/B/two/ToQ/receive/", {"top": 0}, 422, None),
        ("queues/B/two/ToQ/receive/", {"wait_ms": 10**6}, 422, None),
        ("queues/B/two/ToQ/receive/?x=1", {}, 400, None),
        ("queues/B/two/None/status/", {"enabled": True}, 404, 208),
        ("queues/B/two/ToQ/status/", {"enabled": 1}, 422, None),
        (f"receipts/{NOWHERE}/", {"action": "commit"}, 404, None),
        ("receipts/nothing/", {"action": "commit"}, 404, None),
        (f"receipts/{NOWHERE}/", {"action": "keep"}, 422, None),
    ],
)
def test_what_cannot_be_done_says_why(
    wire: Wire, operator: Client, path: str, body: Any, status: int, number: int | None
) -> None:
    handle = begin(operator)
    send(operator, handle, "1")
    problem = post(operator, f"{API}/{path.replace('HANDLE', handle)}", body, status)
    assert (problem["status"], problem.get("number")) == (status, number)
    assert problem["detail"]
    if number:
        code = "not_found" if number in {208, 911} else "refused"
        assert (problem["code"], problem["detail"].startswith(f"{number}: ")) == (code, True)


def test_nothing_is_sent_on_what_has_ended(wire: Wire, operator: Client) -> None:
    handle = begin(operator)
    send(operator, handle, "1")
    post(operator, f"{API}/dialogs/{handle}/end/")
    for path, number in (("messages", 8429), ("end", 8427), ("timer", 8458), ("move", 8438)):
        body = {"timer": {"timeout_s": 1}, "move": {"conversation_group_id": NOWHERE}}.get(path, {})
        assert post(operator, f"{API}/dialogs/{handle}/{path}/", body, 409)["number"] == number


def test_what_is_too_large_is_refused_before_it_is_read(wire: Wire, operator: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr("brokerui.api.messaging.base.MAX_JSON_BYTES", 1_000)
    handle = begin(operator)
    body = {"message_body": b64("x" * 1_000)}
    assert post(operator, f"{API}/dialogs/{handle}/messages/", body, 413)["code"] == "too_large"
    assert ConversationEndpoint.objects.get().send_sequence == 0


def test_all_messages_of_a_request_are_sent_or_none(wire: Wire, operator: Client) -> None:
    handle = begin(operator)
    wrong = {"messages": [{"message_body": "AA=="}, {"message_type": "None"}]}
    post(operator, f"{API}/dialogs/{handle}/messages/", wrong, 422)
    assert ConversationEndpoint.objects.get().send_sequence == 0


# ---------------------------------------------------------------- sent again


def test_a_request_with_a_key_is_done_once(wire: Wire, operator: Client) -> None:
    first = post(operator, f"{API}/dialogs/", BEGIN, 201, Idempotency_Key="1")
    assert post(operator, f"{API}/dialogs/", BEGIN, 201, Idempotency_Key="1") == first
    path = f"{API}/dialogs/{first['conversation_handle']}/messages/"
    for _ in range(3):
        post(operator, path, {"message_body": "MQ=="}, 201, Idempotency_Key="2")
    assert ConversationEndpoint.objects.get().send_sequence == 1
    for _ in range(2):
        post(operator, path.replace("messages", "end"), {}, Idempotency_Key="3")
    assert Answer.objects.count() == 3


def test_a_key_is_of_one_request_of_one_user(wire: Wire, operator: Client, editor: Client) -> None:
    post(operator, f"{API}/dialogs/", BEGIN, 201, Idempotency_Key="1")
    problem = post(operator, f"{API}/dialogs/", BEGIN | {"lifetime_s": 5}, 422, Idempotency_Key="1")
    assert "Idempotency-Key" in problem["detail"]
    post(editor, f"{API}/dialogs/", BEGIN, 201, Idempotency_Key="1")
    assert ConversationEndpoint.objects.count() == 2
    post(operator, f"{API}/dialogs/", BEGIN, 400, Idempotency_Key="x" * 65)


def test_what_was_refused_may_be_tried_again_with_its_key(wire: Wire, operator: Client) -> None:
    post(operator, f"{API}/dialogs/", BEGIN | {"contract": "None"}, 422, Idempotency_Key="1")
    post(operator, f"{API}/dialogs/", BEGIN, 201, Idempotency_Key="1")


# ---------------------------------------------------------------- leases


def test_what_is_not_committed_is_nobodys_loss(wire: Wire, operator: Client, editor: Client) -> None:
    send(operator, begin(operator), "1")
    wire.carry()
    first = receive(operator, lease_s=1)
    assert receive(editor)["receipt"] is None
    settle(editor, first, status=404)
    settle(operator, first, "rollback")
    settle(operator, first, "rollback")
    assert settle(operator, first, status=410)["code"] == "gone"
    second = receive(editor)
    assert texts(second) == ["1"]
    for _ in range(2):
        assert settle(editor, second)["messages"] == 1
    assert settle(editor, second, "rollback", 409)
    assert not QueueMessage.objects.exists()


def test_the_word_alone_is_taken_for_an_action(wire: Wire, operator: Client) -> None:
    send(operator, begin(operator), "1")
    wire.carry()
    post(operator, f"{API}/receipts/{receive(operator)['receipt']}/", json.dumps("commit"))
    assert not QueueMessage.objects.exists()


def test_a_lapsed_lease_cannot_be_committed(wire: Wire, operator: Client, monkeypatch: Any) -> None:
    send(operator, begin(operator), "1")
    wire.carry()
    first = receive(operator, lease_s=1)
    monkeypatch.setattr(leases, "now", lambda: Lease.objects.get().until)
    assert "lease has expired" in settle(operator, first, status=410)["detail"]
    assert QueueMessage.objects.count() == 1


def test_a_receive_waits_for_the_first_message(wire: Wire, operator: Client, monkeypatch: Any) -> None:
    handle = begin(operator)
    pauses: list[float] = []

    def pause(_bell: QueueAddress, seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            send(operator, handle, "1")
            wire.carry()

    monkeypatch.setattr(waiting, "wait_for_notification", pause)
    assert texts(receive(operator, wait_ms=30_000)) == ["1"]
    assert 3 <= len(pauses) < 20


def test_a_waiting_request_beyond_the_limit_is_answered_503_with_retry_after(
    wire: Wire, operator: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr(waiting, "_waiting", threading.BoundedSemaphore(1))
    assert waiting._waiting.acquire()
    response = operator.post(f"{QUEUE}/receive/", {"wait_ms": 1000}, content_type="application/json")
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert receive(operator)["receipt"] is None
    waiting._waiting.release()
    assert receive(operator, wait_ms=1)["receipt"] is None
    assert waiting._waiting.acquire(blocking=False), "the place is given back"


def test_who_waits_leaves_threads_for_others() -> None:
    from brokerui.running.web import THREADS

    assert waiting.MAX_WAITING <= THREADS // 2


# ---------------------------------------------------------------- audit


def test_verbs_are_counted(wire: Wire, operator: Client) -> None:
    handle = begin(operator)
    send(operator, handle, "1", "2")
    wire.carry()
    settle(operator, receive(operator))
    found = {(row.verb, row.instance): (row.author, row.requests, row.messages) for row in Use.objects.all()}
    assert found == {
        ("begin", "A"): ("operator", 1, 0),
        ("send", "A"): ("operator", 1, 2),
        ("receive", "B"): ("operator", 1, 2),
    }


# ---------------------------------------------------------------- the broker of a database


def test_the_conversations_of_a_database_are_ended_with_an_error_by_an_editor(
    wire: Wire, operator: Client, editor: Client
) -> None:
    handle, path = begin(operator), f"{API}/databases/A/one/broker/"
    option = {"option": "ERROR_BROKER_CONVERSATIONS"}
    assert post(operator, path, option, 403)["status"] == 403
    answer = post(editor, path, option, Idempotency_Key="once")
    assert answer == {"broker_instance": ONE, "broker_enabled": True, "conversations_ended": 1}
    assert post(editor, path, option, Idempotency_Key="once") == answer
    assert ConversationEndpoint.objects.get(conversation_handle=handle).state == "ER"
    assert AuditEntry.objects.filter(note__contains="all conversations ended with an error").count() == 1


def test_a_broker_is_disabled_enabled_and_renewed(wire: Wire, editor: Client) -> None:
    path = f"{API}/databases/A/one/broker/"
    assert post(editor, path, {"option": "DISABLE_BROKER"})["broker_enabled"] is False
    assert post(editor, path, {"option": "ENABLE_BROKER"})["broker_instance"] == ONE
    assert post(editor, path, {"option": "NEW_BROKER"})["broker_instance"] != ONE
    assert "none" in post(editor, f"{API}/databases/A/none/broker/", {"option": "NEW_BROKER"}, 404)["detail"]
