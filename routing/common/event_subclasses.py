"""Subclasses of broker events, with the numbers of SQL Server's traces."""

from __future__ import annotations

from enum import IntEnum


class ConversationSubclass(IntEnum):
    """Subclasses of Broker:Conversation."""

    SEND_MESSAGE = 1
    END_CONVERSATION = 2
    END_CONVERSATION_WITH_ERROR = 3
    BROKER_INITIATED_ERROR = 4
    TERMINATE_DIALOG = 5
    RECEIVED_SEQUENCED_MESSAGE = 6
    RECEIVED_END_CONVERSATION = 7
    RECEIVED_END_CONVERSATION_WITH_ERROR = 8
    RECEIVED_BROKER_ERROR_MESSAGE = 9
    RECEIVED_END_CONVERSATION_ACK = 10
    BEGIN_DIALOG = 11
    DIALOG_CREATED = 12
    END_CONVERSATION_WITH_CLEANUP = 13


class GroupSubclass(IntEnum):
    """Subclasses of Broker:Conversation Group."""

    CREATE = 1
    DROP = 2


class ClassifySubclass(IntEnum):
    """Subclasses of Broker:Message Classify."""

    LOCAL = 1
    REMOTE = 2
    DELAYED = 3


class UndeliverableSubclass(IntEnum):
    """Subclasses of Broker:Message Undeliverable."""

    SEQUENCED_MESSAGE = 1
    UNSEQUENCED_MESSAGE = 2


class AcknowledgementSubclass(IntEnum):
    """Subclasses of Broker:Remote Message Acknowledgement."""

    MESSAGE_WITH_ACKNOWLEDGEMENT_SENT = 1
    ACKNOWLEDGEMENT_SENT = 2
    MESSAGE_WITH_ACKNOWLEDGEMENT_RECEIVED = 3
    ACKNOWLEDGEMENT_RECEIVED = 4


class ConnectionSubclass(IntEnum):
    """Subclasses of Broker:Connection."""

    CONNECTING = 1
    CONNECTED = 2
    CONNECT_FAILED = 3
    CLOSING = 4
    CLOSED = 5
    ACCEPT = 6
    SEND_IO_ERROR = 7
    RECEIVE_IO_ERROR = 8


class AuditSubclass(IntEnum):
    """Subclasses of Audit Broker Conversation; "Run As Target Failure" has no cause here."""

    NO_SECURITY_HEADER = 1
    NO_CERTIFICATE = 2
    INVALID_SIGNATURE = 3


class LoginSubclass(IntEnum):
    """Subclasses of Audit Broker Login."""

    LOGIN_SUCCESS = 1
    LOGIN_PROTOCOL_ERROR = 2
    MESSAGE_FORMAT_ERROR = 3
    NEGOTIATE_FAILURE = 4
    AUTHENTICATION_FAILURE = 5
    AUTHORIZATION_FAILURE = 6


class ActivationSubclass(IntEnum):
    """Subclasses of Broker:Activation; "Task Output" (5) is not told: tasks write into logs."""

    STARTED = 1
    ENDED = 2
    ABORTED = 3
    NOTIFIED = 4
    FAILED_TO_START = 6


class MirroredRouteSubclass(IntEnum):
    """Subclasses of Broker:Mirrored Route State Changed."""

    OPERATIONAL = 1
    OPERATIONAL_WITH_PRINCIPAL_ONLY = 2
    NOT_OPERATIONAL = 3


class SentSubclass(IntEnum):
    """Subclasses of BrokerUI:Messages Sent."""

    SENT = 1
    SENT_AGAIN = 2
