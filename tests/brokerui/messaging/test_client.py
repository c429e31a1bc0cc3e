"""The client: against a live server, and against one that answers badly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from brokerui.accounts.levels import Role
from brokerui.accounts.services import token_create
from brokerui.client import Batch, Client, LeaseOver, Message, Refused, Unreachable
from brokerui.core.home import CHECKOUT
from brokerui.messaging.models import ConversationEndpoint, QueueMessage
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.site import user_of

FROM = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
QUEUE = {"instance": "B", "database": "two", "queue": "ToQ"}


@pytest.fixture
def client(wire: Wire, live_server: Any) -> Iterator[Client]:
    """The client of an operator."""
    token = token_create(user=user_of(Role.OPERATOR), name="client")[1]
    with Client(live_server.url, token=token, patience_s=5) as made:
        yield made


# ---------------------------------------------------------------- the verbs


def test_a_conversation_to_its_end(wire: Wire, client: Client) -> None:
    dialog = client.begin(**FROM)
    dialog.send(b"1", Message(b"2"), None)
    wire.carry()
    with client.receive(**QUEUE) as batch:
        assert [message.body for message in batch] == [b"1", b"2", None]
        there = client.dialog(batch.messages[0].conversation_handle)
        there.send(b"answer")
        there.end()
    wire.carry()
    with client.receive(instance="A", database="one", queue="FromQ") as batch:
        answer, end = batch
        assert (answer.body, answer.is_end, end.is_end, end.is_error) == (b"answer", False, True, False)
        assert answer.conversation_handle == dialog.conversation_handle
        dialog.end()
    assert not QueueMessage.objects.exists()


def test_the_other_verbs(wire: Wire, client: Client) -> None:
    one, other, last = client.begin(**FROM), client.begin(**FROM), client.begin(**FROM)
    one.move(other.conversation_group_id)
    one.start_timer(60)
    status = one.status()
    assert (status["conversation_group_id"], status["transmission_status"]) == (other.conversation_group_id, "")
    other.end_with_cleanup()
    last.send(b"1")
    wire.carry()
    last.end_with_error(7, "out of stock")
    here = ConversationEndpoint.objects.filter(is_initiator=True)
    states = dict(here.values_list("conversation_handle", "state"))
    assert states == {one.conversation_handle: "SO", last.conversation_handle: "DO"}
    client.set_queue_status(**QUEUE, enabled=False)
    with pytest.raises(Refused) as refused:
        client.receive(**QUEUE)
    assert (refused.value.number, refused.value.status) == (9617, 409)


def test_a_timer_and_an_error_are_told_apart_from_messages(wire: Wire, client: Client) -> None:
    dialog = client.begin(**FROM)
    dialog.send(b"1")
    wire.carry()
    with client.receive(**QUEUE) as batch:
        there = client.dialog(batch.messages[0].conversation_handle)
        there.start_timer(1)
    ConversationEndpoint.objects.filter(is_initiator=False).update(dialog_timer=1, due=1)
    wire.carry()
    with client.receive(**QUEUE) as batch:
        assert [(one.is_timer, one.is_error, one.is_end) for one in batch] == [(True, False, False)]
        there.end_with_error(7, 'out of <stock> & "more"')
    wire.carry()
    with client.receive(instance="A", database="one", queue="FromQ") as batch:
        (error,) = batch
        assert (error.is_error, *error.error) == (True, 7, 'out of <stock> & "more"')
        dialog.end()


def test_a_group_is_locked_and_then_received_from(wire: Wire, client: Client) -> None:
    assert client.get_conversation_group(**QUEUE).conversation_group_id is None
    client.begin(**FROM).send(b"1", b"2")
    wire.carry()
    with client.get_conversation_group(**QUEUE) as batch:
        assert (batch.conversation_group_id is None, len(batch)) == (False, 0)
        assert not client.receive(**QUEUE), "nobody else receives from it"
        assert [message.body for message in batch.receive(top=1)] == [b"1"]
        assert [message.body for message in batch.receive(top=1)] == [b"1"], "asked again, the same"
        assert [message.body for message in batch.receive()] == [b"1", b"2"]
    assert not QueueMessage.objects.exists()


def test_a_message_is_sent_on_several_conversations_or_on_none(wire: Wire, client: Client) -> None:
    one, other = client.begin(**FROM), client.begin(**FROM)
    client.send([one, other.conversation_handle], b"1", b"2")
    wire.carry()
    assert sorted(bytes(body) for body in QueueMessage.objects.values_list("message_body", flat=True)) == [
        *(b"1", b"1", b"2", b"2")
    ]
    other.end()
    with pytest.raises(Refused) as refused:
        client.send([one, other], b"3")
    assert refused.value.number == 8429
    wire.carry()
    assert not QueueMessage.objects.filter(message_body=b"3").exists()


def test_a_block_that_raises_gives_its_messages_back(wire: Wire, client: Client) -> None:
    client.begin(**FROM).send(b"1")
    wire.carry()
    with pytest.raises(ZeroDivisionError), client.receive(**QUEUE) as batch:
        batch.messages[1 // 0]
    with client.receive(**QUEUE) as batch:
        assert [message.body for message in batch] == [b"1"]
    with client.receive(**QUEUE) as batch:
        assert not batch


def test_what_comes_too_late_is_told_so(wire: Wire, client: Client) -> None:
    client.begin(**FROM).send(b"1")
    wire.carry()
    batch = client.receive(**QUEUE, lease_s=1)
    time.sleep(1.1)  # longer than the lease
    with pytest.raises(LeaseOver):
        batch.commit()
    assert QueueMessage.objects.count() == 1


def test_what_is_refused_is_told_once(client: Client) -> None:
    for verb, number, status in (
        (lambda: client.begin(**FROM | {"contract": "None"}), 8425, 422),
        (lambda: client.dialog("00000000-0000-4000-8000-000000000009").send(b"1"), 8426, 404),
        (lambda: client.receive(**QUEUE | {"queue": "None"}), 208, 404),
        (lambda: client.receive(**QUEUE, top=0), None, 422),
    ):
        with pytest.raises(Refused) as refused:
            verb()
        assert (refused.value.number, refused.value.status) == (number, status)


def test_nobody_receives_without_a_right_to(wire: Wire, live_server: Any) -> None:
    viewers = token_create(user=user_of(Role.VIEWER), name="client")[1]
    for token, status in ((viewers, 403), ("0" * 64, 401)):
        with Client(live_server.url, token=token) as client, pytest.raises(Refused) as refused:
            client.receive(**QUEUE)
        assert refused.value.status == status


# ---------------------------------------------------------------- a server that answers badly

RECEIPT = {"receipt": "r", "conversation_group_id": "g", "until": None}
Step = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Does the next step of the script; the last one over and over."""

    protocol_version = "HTTP/1.1"
    steps: list[Step]
    seen: list[tuple[str, str | None, bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.path, self.headers["Idempotency-Key"], body))
        (self.steps.pop(0) if len(self.steps) > 1 else self.steps[0])(self)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


def answer(status: int, body: Any, **headers: str) -> Step:
    def step(handler: Handler) -> None:
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    return step


def hang_up(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.close()


BEGUN = {"conversation_handle": "h", "conversation_id": "c", "conversation_group_id": "g"}
NOTHING = {"receipt": None, "conversation_group_id": None, "until": None, "messages": []}


@pytest.fixture
def scripted() -> Iterator[Callable[..., tuple[Client, list[tuple[str, str | None, bytes]]]]]:
    servers: list[tuple[HTTPServer, threading.Thread, Client]] = []

    def start(*steps: Step, **named: Any) -> tuple[Client, list[tuple[str, str | None, bytes]]]:
        seen: list[tuple[str, str | None, bytes]] = []
        server = HTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"steps": list(steps), "seen": seen}))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        client = Client(f"http://127.0.0.1:{server.server_port}", token="t", **{"patience_s": 10, **named})
        servers.append((server, thread, client))
        return client, seen

    yield start
    for server, thread, client in servers:
        client.close()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_request_that_was_not_answered_is_sent_again_with_the_same_key(scripted: Any) -> None:
    client, seen = scripted(
        hang_up, answer(503, b"<html>", Retry_After="0"), answer(409, {"code": "busy"}), answer(201, BEGUN)
    )
    dialog = client.begin(**FROM)
    assert dialog.conversation_handle == "h"
    assert len(seen) == 4
    assert len({(path, key) for path, key, _ in seen}) == 1
    assert seen[0][1]
    dialog.send(b"1")
    assert seen[-1][1] != seen[0][1]


def test_a_server_says_how_long_to_wait(scripted: Any) -> None:
    client, _ = scripted(answer(429, {}, Retry_After="1"), answer(201, BEGUN))
    started = time.monotonic()
    client.begin(**FROM)
    assert time.monotonic() - started >= 1


def test_a_server_that_never_answers_is_given_up(scripted: Any) -> None:
    for step in (hang_up, answer(503, {})):
        client, seen = scripted(step, patience_s=0.5)
        with pytest.raises(Unreachable):
            client.begin(**FROM)
        assert len(seen) > 1
    client, _ = scripted(answer(409, {"code": "busy", "detail": "held"}), patience_s=0.3)
    with pytest.raises(Refused, match="held"):
        client.begin(**FROM)
    with Client("http://127.0.0.1:1", token="t", patience_s=0.2) as nobody, pytest.raises(Unreachable):
        nobody.begin(**FROM)


def test_a_long_wait_is_several_requests(scripted: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("brokerui.client.client.LONGEST_WAIT_S", 0.05)
    client, seen = scripted(answer(200, NOTHING))
    assert len(client.receive(**QUEUE, wait_s=0.2)) == 0
    waits = [json.loads(body)["wait_ms"] for _, _, body in seen]
    assert len(waits) > 2
    assert max(waits) <= 50
    assert waits[-1] == 0 or waits[-1] <= 50


def test_what_cannot_be_rolled_back_hides_nothing(scripted: Any) -> None:
    client, _ = scripted(hang_up, patience_s=0.1)
    with pytest.raises(ZeroDivisionError), Batch(client._requests, "q/", RECEIPT):
        raise ZeroDivisionError


@pytest.mark.parametrize("site", ["localhost:8000", "ftp://host", "http://", "http://host?x=1"])
def test_a_site_is_an_address(site: str) -> None:
    with pytest.raises(ValueError, match="site"):
        Client(site, token="t")


def test_it_needs_the_standard_library_alone() -> None:
    names = "{name.partition('.')[0] for name in sys.modules}"
    code = f"import sys; before = {names}; import brokerui.client; print(*({names} - before))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) - set(sys.stdlib_module_names) == {"brokerui"}


# ---------------------------------------------------------------- the page about it


NAMES_HERE = {"Orders": "one", "OrderQueue": "FromQ", "Parts": "two", "PartQueue": "ToQ", "Order": "From", "Part": "To"}
"""The names of the page, and those of the two instances of these tests."""


def test_the_worked_example_works(wire: Wire, live_server: Any, capsys: Any, monkeypatch: Any) -> None:
    """Its programs on the pages' own deployments: tests/test_docs_run.py."""
    token = token_create(user=user_of(Role.OPERATOR), name="client")[1]
    monkeypatch.setenv("SITE", live_server.url)
    monkeypatch.setenv("TOKEN", token)
    page = (Path(CHECKOUT) / "docs" / "how-to" / "client.md").read_text(encoding="utf-8")
    for name, here in NAMES_HERE.items():
        page = page.replace(f'"{name}"', f'"{here}"')
    order, parts, answers, *_ = re.findall(r"```python\n(.*?)```", page.replace("wait_s=10", "wait_s=0.1"), re.DOTALL)
    for program in (order, parts, answers, parts):
        exec(compile(program, "program", "exec"), {})
        wire.carry()
    printed = capsys.readouterr().out.split("\n")[1:-1]
    assert printed == ["received order 1", "received order 2", "done: order 1", "done: order 2", "ended"]
    assert not QueueMessage.objects.exists()
    assert not ConversationEndpoint.objects.exclude(state="CD").exists()
