"""Events have the numbers and names of the product."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path
from typing import get_args

import pytest

from routing.common.broker_events import (
    NAMES,
    AuditBrokerConversation,
    AuditBrokerLogin,
    BrokerActivation,
    BrokerConnection,
    ConversationEvent,
    ConversationGroup,
    Event,
    ForwardedMessage,
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MessageClassify,
    MessageUndeliverable,
    MirroredRouteStateChanged,
    OfAcknowledgement,
    OfActivation,
    OfAudit,
    OfClassify,
    OfConnection,
    OfConversation,
    OfGroup,
    OfLogin,
    OfMirroredRoute,
    OfSent,
    OfUndeliverable,
    QueueDisabled,
)

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference" / "events.md"
FORWARDED = ForwardedMessage("c", True, "S", None, "T", None, "tcp://b:4022", 0, 0, 9, 60_000, 125, "m")


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (ConversationEvent(OfConversation.SEND_MESSAGE, "db", "CO", "c", "h", "g", True), "Broker:Conversation"),
        (ConversationGroup(OfGroup.CREATE, "db", "g"), "Broker:Conversation Group"),
        (ForwardedMessageSent(FORWARDED), "Broker:Forwarded Message Sent"),
        (ForwardedMessageDropped(FORWARDED, 11285), "Broker:Forwarded Message Dropped"),
        (
            MirroredRouteStateChanged(OfMirroredRoute.OPERATIONAL, "tcp://a:1", "tcp://b:1", "S", None, "tcp://a:1"),
            "Broker:Mirrored Route State Changed",
        ),
        (MessageClassify(OfClassify.LOCAL, "db", "c", "S", None, "", False, 0), "Broker:Message Classify"),
        (BrokerConnection(OfConnection.CLOSED, "c", "tcp://b:4022", "idle", 1), "Broker:Connection"),
        (AuditBrokerLogin(OfLogin.LOGIN_SUCCESS, "c", "127.0.0.1:5", "B", "", ""), "Audit Broker Login"),
        (AuditBrokerConversation(OfAudit.NO_CERTIFICATE, "db", "c", "key id: …"), "Audit Broker Conversation"),
        (QueueDisabled("db", "Q"), "Broker:Queue Disabled"),
        (BrokerActivation(OfActivation.STARTED, "db", "Q", "dbo.Ship"), "Broker:Activation"),
        (
            MessageUndeliverable(OfUndeliverable.SEQUENCED_MESSAGE, "db", "c", 0, -1, 11213),
            "Broker:Message Undeliverable",
        ),
    ],
)
def test_every_event_has_its_number_and_name(event: Event, name: str) -> None:
    assert NAMES[event.number] == name
    assert hash(event) == hash(event._replace())


def test_subclasses_count_as_in_the_product() -> None:
    assert [of.value for of in OfConversation] == list(range(1, 14))
    assert list(OfMirroredRoute) == [1, 2, 3]
    assert list(OfConnection) == list(range(1, 9))
    assert list(OfActivation) == [1, 2, 3, 4, 6]
    assert list(OfLogin) == list(range(1, 7))
    assert (OfGroup.DROP, OfClassify.DELAYED, OfUndeliverable.UNSEQUENCED_MESSAGE) == (2, 3, 2)


def documented() -> dict[int, tuple[str, str, str]]:
    """Name, subclasses and columns of each number, as docs/reference/events.md has them."""
    row = re.compile(r"^\| (\d+) \|([^|]+)\|([^|]*)\|([^|]+)\|$", re.MULTILINE)
    rows = row.findall(DOCUMENT.read_text(encoding="utf-8"))
    return {int(number): (name.strip(), subclasses, columns) for number, name, subclasses, columns in rows}


def test_every_event_is_documented_with_its_columns() -> None:
    rows = documented()
    assert {number: name for number, (name, _, _) in rows.items()} == NAMES
    for event in get_args(Event):
        number = event.number.fget(None)  # the same for all of a class
        fields = [field for field in event._fields if field not in ("subclass", "message")]
        assert [field for field in fields if f"`{field}`" not in rows[number][2]] == []


@pytest.mark.parametrize(
    ("number", "subclasses"),
    [
        (124, OfConversation),
        (136, OfGroup),
        (138, OfConnection),
        (141, OfClassify),
        (144, OfMirroredRoute),
        (149, OfAcknowledgement),
        (158, OfAudit),
        (159, OfLogin),
        (160, OfUndeliverable),
        (1001, OfSent),
    ],
)
def test_every_subclass_is_documented(number: int, subclasses: type[IntEnum]) -> None:
    said = [f"{one.value} {one.name.replace('_', ' ')}" for one in subclasses]
    assert documented()[number][1].strip().upper().split(", ") == said
