"""Events have the numbers and names of the product."""

from __future__ import annotations

import pytest

from routing.events import (
    NAMES,
    AuditBrokerLogin,
    BrokerConnection,
    Conversation,
    ConversationGroup,
    Event,
    ForwardedMessage,
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MessageClassify,
    MessageUndeliverable,
    MirroredRouteStateChanged,
    OfClassify,
    OfConnection,
    OfConversation,
    OfGroup,
    OfLogin,
    OfMirroredRoute,
    OfUndeliverable,
    QueueDisabled,
)

FORWARDED = ForwardedMessage("c", True, "S", None, "T", None, "tcp://b:4022", 0, 0, 9, 60_000, 125, "m")


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (Conversation(OfConversation.SEND_MESSAGE, "db", "CO", "c", "h", "g", True), "Broker:Conversation"),
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
        (QueueDisabled("db", "Q"), "Broker:Queue Disabled"),
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
    assert list(OfLogin) == list(range(1, 7))
    assert (OfGroup.DROP, OfClassify.DELAYED, OfUndeliverable.UNSEQUENCED_MESSAGE) == (2, 3, 2)
