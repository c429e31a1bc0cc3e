"""One event of each class, with a value in every field."""

from __future__ import annotations

from typing import Final

from brokerui.eventlog.samples import OfSample, Sample
from routing.common import broker_events as ev
from routing.common import event_subclasses as sub
from routing.common import network_events as net

AT: Final = 1_900_000_000_000
FORWARDED: Final = net.ForwardedMessage("c", True, "To", "g2", "From", "g1", "tcp://b:4022", 3, 1, 9, 60_000, 125, "m")
SIDE: Final = ("db", "c", "h", True, "From", "To", "g")

EVENTS: Final[tuple[ev.Event, ...]] = (
    ev.ConversationEvent(
        sub.ConversationSubclass.SEND_MESSAGE, "db", "CO", "c", "h", "g", True, "From", "To", "b", 4, 100
    ),
    ev.ConversationGroupEvent(sub.GroupSubclass.CREATE, "db", "g"),
    net.BrokerConnection(sub.ConnectionSubclass.CONNECT_FAILED, "i", "tcp://b:4022", "refused", 1),
    net.ForwardedMessageSent(FORWARDED, "R"),
    net.ForwardedMessageDropped(FORWARDED, 11285, "R"),
    ev.MessageClassify(
        sub.ClassifySubclass.REMOTE, "db", "c", "To", "b", "tcp://b:4022", True, 9793, "From", True, "R"
    ),
    ev.QueueDisabled("db", "Q"),
    net.MirroredRouteStateChanged(
        sub.MirroredRouteSubclass.OPERATIONAL, "tcp://a:1", "tcp://b:1", "S", "g", "tcp://a:1"
    ),
    net.Acknowledgement(sub.AcknowledgementSubclass.ACKNOWLEDGEMENT_SENT, "db", "c", 7, 1_048_575, 2, True),
    net.AuditBrokerConversation(sub.AuditSubclass.NO_CERTIFICATE, "db", "c", "key id"),
    net.AuditBrokerLogin(sub.LoginSubclass.LOGIN_PROTOCOL_ERROR, "i", "10.0.0.1:5000", "B", "cert", "why"),
    net.MessageUndeliverable(sub.UndeliverableSubclass.SEQUENCED_MESSAGE, "db", "c", 5, 4, 11213),
    net.CorruptedMessage("db", "c", "the tag", 9642),
    ev.BrokerActivation(sub.ActivationSubclass.ABORTED, "db", "Q", "dbo.Ship", "ValueError: no"),
    ev.MessagesSent(sub.SentSubclass.SENT_AGAIN, *SIDE, "R", "tcp://b:4022", 2, 3, 5, 3, 300, AT - 50),
    ev.MessagesReceived("db", "Q", "h", 3, 5, 3, 300, AT - 70),
    ev.StatusChanged(*SIDE, 9793, 9749),
)
SAMPLES: Final = (
    Sample(OfSample.QUEUE, "db", "Q", depth=5, oldest_age_ms=100),
    Sample(OfSample.TRANSMISSION_QUEUE, "db", depth=6, oldest_age_ms=200),
    Sample(OfSample.WAITING_CONVERSATIONS, "db", error=9793, depth=2, oldest_age_ms=200),
    Sample(OfSample.MIRRORING_ROLE, "db", role="PRINCIPAL"),
    Sample(
        OfSample.MIRRORED_ROUTE,
        address="tcp://a:1",
        mirror_address="tcp://b:1",
        service="S",
        broker_instance="g",
        principal="tcp://a:1",
    ),
)
