"""Events have the numbers and names of the product."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path
from typing import get_args

import pytest

from routing.common.broker_events import (
    EVENT_NAMES,
    BrokerActivation,
    ConversationEvent,
    ConversationGroupEvent,
    Event,
    MessageClassify,
    QueueDisabled,
)
from routing.common.event_subclasses import (
    AcknowledgementSubclass,
    ActivationSubclass,
    AuditSubclass,
    ClassifySubclass,
    ConnectionSubclass,
    ConversationSubclass,
    GroupSubclass,
    LoginSubclass,
    MirroredRouteSubclass,
    SentSubclass,
    UndeliverableSubclass,
)
from routing.common.network_events import (
    AuditBrokerConversation,
    AuditBrokerLogin,
    BrokerConnection,
    ForwardedMessage,
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MessageUndeliverable,
    MirroredRouteStateChanged,
)

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference" / "events.md"
FORWARDED = ForwardedMessage(
    conversation_id="c",
    is_initiator=True,
    to_service_name="S",
    to_broker_instance=None,
    from_service_name="T",
    from_broker_instance=None,
    adjacent_broker_address="tcp://b:4022",
    message_sequence_number=0,
    message_fragment_number=0,
    hops_remaining=9,
    time_to_live=60_000,
    time_consumed=125,
    message_id="m",
)


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (ConversationEvent(ConversationSubclass.SEND_MESSAGE, "db", "CO", "c", "h", "g", True), "Broker:Conversation"),
        (ConversationGroupEvent(GroupSubclass.CREATE, "db", "g"), "Broker:Conversation Group"),
        (ForwardedMessageSent(FORWARDED), "Broker:Forwarded Message Sent"),
        (ForwardedMessageDropped(FORWARDED, 11285), "Broker:Forwarded Message Dropped"),
        (
            MirroredRouteStateChanged(
                MirroredRouteSubclass.OPERATIONAL, "tcp://a:1", "tcp://b:1", "S", None, "tcp://a:1"
            ),
            "Broker:Mirrored Route State Changed",
        ),
        (MessageClassify(ClassifySubclass.LOCAL, "db", "c", "S", None, "", False, 0), "Broker:Message Classify"),
        (BrokerConnection(ConnectionSubclass.CLOSED, "c", "tcp://b:4022", "idle", 1), "Broker:Connection"),
        (AuditBrokerLogin(LoginSubclass.LOGIN_SUCCESS, "c", "127.0.0.1:5", "B", "", ""), "Audit Broker Login"),
        (AuditBrokerConversation(AuditSubclass.NO_CERTIFICATE, "db", "c", "key id: …"), "Audit Broker Conversation"),
        (QueueDisabled("db", "Q"), "Broker:Queue Disabled"),
        (BrokerActivation(ActivationSubclass.STARTED, "db", "Q", "dbo.Ship"), "Broker:Activation"),
        (
            MessageUndeliverable(UndeliverableSubclass.SEQUENCED_MESSAGE, "db", "c", 0, -1, 11213),
            "Broker:Message Undeliverable",
        ),
    ],
)
def test_every_event_has_its_number_and_name(event: Event, name: str) -> None:
    assert EVENT_NAMES[event.number] == name
    assert hash(event) == hash(event._replace())


def test_subclasses_count_as_in_the_product() -> None:
    assert [of.value for of in ConversationSubclass] == list(range(1, 14))
    assert list(MirroredRouteSubclass) == [1, 2, 3]
    assert list(ConnectionSubclass) == list(range(1, 9))
    assert list(ActivationSubclass) == [1, 2, 3, 4, 6]
    assert list(LoginSubclass) == list(range(1, 7))
    assert (GroupSubclass.DROP, ClassifySubclass.DELAYED, UndeliverableSubclass.UNSEQUENCED_MESSAGE) == (2, 3, 2)


def documented() -> dict[int, tuple[str, str, str]]:
    """Name, subclasses and columns of each number, as docs/reference/events.md has them."""
    row = re.compile(r"^\| (\d+) \|([^|]+)\|([^|]*)\|([^|]+)\|$", re.MULTILINE)
    rows = row.findall(DOCUMENT.read_text(encoding="utf-8"))
    return {int(number): (name.strip(), subclasses, columns) for number, name, subclasses, columns in rows}


def test_every_event_is_documented_with_its_columns() -> None:
    rows = documented()
    assert {number: name for number, (name, _, _) in rows.items()} == EVENT_NAMES
    for event in get_args(Event):
        number = event.number.fget(None)  # the same for all of a class
        fields = [field for field in event._fields if field not in ("subclass", "message")]
        assert [field for field in fields if f"`{field}`" not in rows[number][2]] == []


@pytest.mark.parametrize(
    ("number", "subclasses"),
    [
        (124, ConversationSubclass),
        (136, GroupSubclass),
        (138, ConnectionSubclass),
        (141, ClassifySubclass),
        (144, MirroredRouteSubclass),
        (149, AcknowledgementSubclass),
        (158, AuditSubclass),
        (159, LoginSubclass),
        (160, UndeliverableSubclass),
        (1001, SentSubclass),
    ],
)
def test_every_subclass_is_documented(number: int, subclasses: type[IntEnum]) -> None:
    expected = [f"{one.value} {one.name.replace('_', ' ')}" for one in subclasses]
    assert documented()[number][1].strip().upper().split(", ") == expected
