"""Bodies of messages: for users with the right alone, with a reason, recorded, kept by no cache."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from brokerui.accounts.levels import Right, Role
from brokerui.accounts.services import rights_of
from brokerui.analysis.conversations import checks
from brokerui.estate.models import AuditEntry
from brokerui.messaging.models import HeldFragment, OutgoingMessage, QueueMessage
from brokerui.messaging.services import Message, conversation_begin, conversation_send
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import begun
from tests.brokerui.pages.monitoring.conversations.test_pages import other_side
from tests.brokerui.site import reader_of_bodies, signed_in, user_of

CARD = "4111 1111 1111 1111"
ORDER = f"<order><card>{CARD}</card>\r\n<b>&lt;script&gt;</b></order>"
WIDE = ORDER.encode("utf-16-le")
REASON = "ticket 4711"


@pytest.fixture
def reader(wire: Wire) -> Client:
    reader_of_bodies(Role.VIEWER)
    return signed_in(Role.VIEWER)


def sent(*bodies: bytes | None, service: str = "To") -> str:
    named = {"instance": "A", "database": "one", "from_service": "From", "to_service": service}
    handle = conversation_begin(**named, encryption=False).conversation_handle
    conversation_send(instance="A", handles=[handle], messages=[Message(body) for body in bodies if body is not None])
    return handle


def show(client: Client, handle: str, number: int = 0, *, kept: str = "to_send", **more: Any) -> Any:
    form = {"reason": REASON, "act": "body.show"} | more
    return client.post(reverse("conversations:body", args=[handle, kept, number]), form)


def acts() -> list[tuple[str, str, str]]:
    entries = AuditEntry.objects.filter(action__startswith="body.").order_by("id")
    return list(entries.values_list("author", "action", "note"))


@pytest.mark.both_databases
def test_a_body_is_covered_then_uncovered_then_a_file_and_each_is_recorded(
    reader: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    handle = sent(b"first", WIDE)
    page = show(reader, handle, 1)
    text = page.content.decode()
    assert page.status_code == 200
    assert "no-store" in page.headers["Cache-Control"]
    assert "ETag" not in page.headers
    assert "Covered: 1 card number." in text
    assert "UTF-16LE" in text
    assert "1111" not in text.partition("<main")[2], "neither as text nor as hex"
    assert "&lt;b&gt;&amp;lt;script&amp;gt;&lt;/b&gt;" in text
    assert "data-copy=" not in text, "a covered text is not copied"
    uncovered = show(reader, handle, 1, act="body.unmask").content.decode()
    assert f"{CARD}&lt;/card&gt;&#13;\n" in uncovered, "carriage returns too"
    file = show(reader, handle, 1, act="body.download")
    assert file.content == WIDE
    assert "no-store" in file.headers["Cache-Control"]
    assert file.headers["Content-Type"] == "application/octet-stream"
    note = f"A/one {handle} to_send 1: {REASON}"
    assert acts() == [("viewer", f"body.{act}", note) for act in ("show", "unmask", "download")]
    assert CARD not in caplog.text


def test_without_a_reason_nothing_is_shown_or_recorded(reader: Client) -> None:
    handle = sent(b"hidden words")
    question = reader.get(reverse("conversations:body", args=[handle, "to_send", 0]))
    assert "Show the body of message 0?" in question.content.decode()
    for form in ({"reason": "  "}, {"act": "body.other"}, {"reason": "x" * 201}, {"hex_start": "-1"}):
        page = show(reader, handle, **form)
        assert page.status_code == 422, form
        assert "hidden words" not in page.content.decode()
    assert acts() == []


@pytest.mark.both_databases
def test_a_body_is_found_in_every_table_and_each_that_is_not_has_a_sentence(reader: Client, wire: Wire) -> None:
    handle = sent(b"", b"words")
    assert "The body has no byte." in show(reader, handle).content.decode()
    wire.carry()
    target = other_side(handle)
    assert "words" in show(reader, target, 1, kept="not_read").content.decode()
    gone = show(reader, handle, 1)
    assert gone.status_code == 404
    assert "Message 1 is not there any more" in gone.content.decode()
    QueueMessage.objects.filter(conversation_handle=target, message_sequence_number=0).update(message_body=None)
    empty = show(reader, target, 0, kept="not_read")
    assert empty.status_code == 409
    assert "Message 0 has no body: it was sent without one (NULL)." in empty.content.decode()
    assert show(reader, handle, kept="nowhere").status_code == 404
    assert show(reader, "00000000-0000-0000-0000-000000000007").status_code == 404
    assert len(acts()) == 2


@pytest.mark.both_databases
def test_a_message_of_fragments_is_shown_once_all_are_here(reader: Client, wire: Wire) -> None:
    handle = sent(b"x")
    wire.carry()
    target = other_side(handle)
    instance = QueueMessage.objects.get(conversation_handle=target).instance_id
    values = {"conversation_handle": target, "instance_id": instance, "message_sequence_number": 5, "fragments": 2}
    values |= {"message_type_name": "m", "enqueue_time": 1, "is_end_of_dialog": False, "is_conversation_error": False}
    HeldFragment.objects.create(fragment=1, body=b"halves", **values)
    half = show(reader, target, 5, kept="incomplete")
    assert half.status_code == 409
    assert "Message 5 is not complete: 1 of 2 fragments have arrived." in half.content.decode()
    HeldFragment.objects.create(fragment=0, body=b"two ", **values)
    assert "two halves" in show(reader, target, 5, kept="incomplete").content.decode()


def test_a_large_body_is_shown_in_part_and_its_hex_by_pages(reader: Client) -> None:
    handle = sent(b"a" * 4090 + b" pwd=secret-words " + b"b" * 70_000)
    first = show(reader, handle).content.decode()
    assert "the first 65,536 of 74,108 bytes" in first
    assert "bytes 0 to 4,095 of 74,108" in first
    second = show(reader, handle, hex_start="4096").content.decode()
    hexed = second.partition('<table class="hex">')[2]
    assert "00001000" in hexed
    assert "et-words" not in hexed, "a secret that begins on the page before"
    last = show(reader, handle, hex_start="2000000000").content.decode()
    assert "bytes 73,728 to 74,107 of 74,108" in last


def test_the_page_of_the_conversation_leads_to_bodies_for_readers_alone(wire: Wire, operator: Client) -> None:
    handle = sent(b"x", service="Nowhere")
    path = f"/conversations/{handle}/"
    assert "Show body…" not in operator.get(path).content.decode()
    assert "an administrator can give you the right" in operator.get(path).content.decode()
    reader_of_bodies(Role.OPERATOR)
    assert f'href="{path}body/to_send/0/"' in signed_in(Role.OPERATOR).get(path).content.decode()


def test_the_right_is_given_to_a_user_and_taken_away(wire: Wire, client: Client, settings: Any) -> None:
    user = user_of(Role.OPERATOR)
    address = reverse("tables:auth_user_change", args=[user.pk])
    form = {"name": "operator", "role": "operator", "active": "on"}
    client.post(address, form | {"read_bodies": "on"})
    assert rights_of(user) == (Right.READ_BODIES,)
    assert AuditEntry.objects.filter(action="user.change").first().note == "operator: operator, read_bodies"
    handle = begun("Nowhere")
    operator = signed_in(Role.OPERATOR)
    assert show(operator, handle).status_code == 200
    settings.READ_ONLY = True
    assert show(operator, handle).status_code == 403, "it would be recorded"
    settings.READ_ONLY = False
    client.post(address, form)
    assert rights_of(user) == ()
    assert show(operator, handle).status_code == 403


def test_the_same_over_rest(reader: Client, operator: Client) -> None:
    handle = sent(WIDE)
    path = reverse("api:dialog_body", args=[handle])

    def ask(client: Client, **more: Any) -> Any:
        body = {"kept": "to_send", "message_sequence_number": 0, "reason": REASON} | more
        return client.post(path, json.dumps(body), content_type="application/json")

    assert ask(operator).status_code == 403
    answer = ask(reader)
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    assert (body["encoding"], body["covered"], body["is_whole"]) == ("UTF-16LE", {"cards": 1}, True)
    assert body["text"] == ORDER.replace(CARD, "••••••")
    assert body["message_body"] is None
    assert ask(reader, act="unmask").json()["text"] == ORDER
    assert ask(reader, reason=" ").status_code == 422
    assert [action for _, action, _ in acts()] == ["body.show", "body.unmask"]
    OutgoingMessage.objects.all().delete()
    gone = ask(reader)
    assert (gone.status_code, gone.headers["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("BODY_MASKS", ["cards", "phones"], "BODY_MASKS has no rule phones."),
        (
            "BODY_MASK_PATTERN",
            "(",
            "BODY_MASK_PATTERN is no pattern: missing ), unterminated subpattern at position 0.",
        ),
    ],
)
def test_settings_that_cannot_be_are_reported(settings: Any, name: str, value: Any, says: str) -> None:
    assert checks.masks_make_sense(None) == []
    setattr(settings, name, value)
    assert [one.msg for one in checks.masks_make_sense(None)] == [says]
