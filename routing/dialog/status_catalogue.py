"""The catalogue of transmission statuses: SQL Server's texts by their signs, the causes and the next steps.

Special texts stand before the general ones that may enclose them.
"""

from __future__ import annotations

from collections.abc import Mapping

from routing.common.sentence import Sentence, say
from routing.dialog.status_catalogue_network import CONNECTIONS, SYSTEM_ERRORS, TRANSPORT
from routing.dialog.status_catalogue_security import DIALOGS, ENQUEUEING
from routing.dialog.status_kind import (
    BROKER_OFF,
    CONVERSATION_OVER,
    FORWARDING_OFF,
    MESSAGES_WAIT,
    NO_ROUTE_STATUS,
    NOT_ENQUEUED,
    QUEUE_OFF,
    TARGET_NOT_FOUND,
    StatusKind,
)

_CREATE_ROUTE = say(
    "In the sender's database, create a route whose service name is the target's, byte by byte, case and blanks"
    " included; where the messages arrive over the network, msdb there needs a route or the service, too."
)
_END = say("Nothing is lost by waiting; the application ends its side: END CONVERSATION on receipt of that message.")
_NOTHING = say("Nothing is to be done unless it stays for minutes; then the server's error log says why.")
_MSDB = say("On the instance that receives: see that msdb is online and open to several users, and its broker enabled.")

ROUTING = (
    StatusKind(
        9750,
        NO_ROUTE_STATUS,
        say("No route of the sender's database matches the target service."),
        _CREATE_ROUTE,
        ("no route matches the destination service name",),
    ),
    StatusKind(
        9793,
        NO_ROUTE_STATUS,
        say("The target service was not found: check its name, or make a route to it."),
        _CREATE_ROUTE,
        ("target service name could not be found",),
    ),
    StatusKind(
        9796,
        TARGET_NOT_FOUND,
        say("A LOCAL route matched, but no service of this name can take messages here."),
        say(
            "If the service is on this instance, compare its name byte by byte and see that the broker of its database"
            " is enabled; if it is on another one, create a route with that instance's network address."
        ),
        ("there is no service by that name in the local",),
    ),
    StatusKind(
        9795,
        TARGET_NOT_FOUND,
        say(
            "The target broker is not to be found here: no database that takes messages has its identifier, or another"
            " one holds the conversation."
        ),
        say(
            "Compare the identifier of the route, or of BEGIN DIALOG, with service_broker_guid in sys.databases of the"
            " target: NEW_BROKER and restored copies change it."
        ),
        ("could not find the target broker in the local",),
    ),
    StatusKind(
        9770,
        MESSAGES_WAIT,
        say("A route has been asked for at the dynamic routing service."),
        say(
            "If it stays, see that the service SQL/ServiceBroker/BrokerConfiguration reads its queue and makes the"
            " route; without such a service, drop the route to it."
        ),
        ("via the broker configuration service",),
        passes=True,
    ),
    StatusKind(
        9797,
        MESSAGES_WAIT,
        say("The routes are being changed, and the message is tried again afterwards."),
        _NOTHING,
        ("routing information is currently being updated",),
        passes=True,
    ),
    StatusKind(
        9792,
        FORWARDING_OFF,
        say("Message forwarding is disabled."),
        say(
            "On the instance that should forward: ALTER ENDPOINT … FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED);"
            " or give the route the address of the instance that has the service."
        ),
        ("forwarding is disabled",),
    ),
    StatusKind(
        9788,
        MESSAGES_WAIT,
        say("The instance cannot route what arrives from outside, because its msdb cannot be read."),
        _MSDB,
        ("msdb containing routing information is not available",),
    ),
    StatusKind(
        9790,
        MESSAGES_WAIT,
        say("The instance cannot route what arrives from outside, because its msdb is in single-user mode."),
        _MSDB,
        ("msdb containing routing information is in single user",),
    ),
)
BROKERS = (
    StatusKind(
        9791,
        BROKER_OFF,
        say("The broker of the sender's database is disabled."),
        say(
            "ALTER DATABASE … SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE: it needs the database for itself for a moment."
            " For a restored copy beside its original (error 9772), NEW_BROKER, which ends all conversations in it."
        ),
        ("broker is disabled in the sender",),
    ),
    StatusKind(
        28075,
        MESSAGES_WAIT,
        say("The sender's database is in single-user mode, and sends nothing."),
        say("ALTER DATABASE … SET MULTI_USER, once the work in it is done."),
        ("broker in the sender's database is in single user mode",),
    ),
    StatusKind(
        9771,
        MESSAGES_WAIT,
        say("The server runs in single-user mode, and Service Broker with it not at all."),
        say("Start the server without the option -m."),
        ("manager is disabled in single-user mode",),
    ),
    StatusKind(
        9780,
        MESSAGES_WAIT,
        say("Service Broker is starting."),
        _NOTHING,
        ("manager is initializing",),
        passes=True,
    ),
    StatusKind(
        9781,
        MESSAGES_WAIT,
        say("Service Broker is being shut down."),
        _NOTHING,
        ("manager is shutting down",),
        passes=True,
    ),
    StatusKind(
        9794,
        MESSAGES_WAIT,
        say("Service Broker does not know yet which partner of a mirrored route is the principal."),
        _NOTHING,
        ("mirroring manager has not fully initialized",),
        passes=True,
    ),
    StatusKind(
        954,
        MESSAGES_WAIT,
        say("The database is a mirror: applications can work in its principal only."),
        say("Its principal sends these messages, and this database does once it is the principal itself."),
        ("cannot be opened. it is acting as a mirror database",),
        passes=True,
    ),
)
TARGETS = (
    StatusKind(
        9749,
        MESSAGES_WAIT,
        say("The target is busy; the messages are queued for delivery."),
        _NOTHING,
        ("target queue is busy",),
        passes=True,
    ),
    StatusKind(
        9618,
        QUEUE_OFF,
        say("The sender's own queue is off, and keeps sent messages (RETENTION): nothing is sent."),
        say("In the sender's database: ALTER QUEUE … WITH STATUS = ON, after a look at why it was switched off."),
        ("queue", "is currently disabled and retention is on"),
    ),
    StatusKind(
        9617,
        QUEUE_OFF,
        say("A queue is off: five rollbacks in a row of a transaction with RECEIVE switch it off, or a person did."),
        say(
            "In the database of that queue: mend the procedure or take out the message that it fails on, then"
            " ALTER QUEUE … WITH STATUS = ON."
        ),
        ("service queue", "is currently disabled"),
    ),
    StatusKind(
        11219,
        QUEUE_OFF,
        say("The queue of the target service is off."),
        say(
            "In the target's database: mend the procedure or take out the message that it fails on, then"
            " ALTER QUEUE … WITH STATUS = ON."
        ),
        ("queue", "disabled"),
    ),
    StatusKind(
        28013,
        BROKER_OFF,
        say("The broker of the target's database is disabled."),
        say("In the target's instance: ALTER DATABASE … SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE."),
        ("service broker is administratively disabled",),
    ),
    StatusKind(
        9789,
        BROKER_OFF,
        say("The broker of msdb is disabled where the messages arrive: that instance routes nothing from outside."),
        say("On that instance: ALTER DATABASE msdb SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE."),
        ("the broker is disabled in msdb",),
    ),
    StatusKind(
        28014,
        NOT_ENQUEUED,
        say("The target's database is read-only."),
        say("ALTER DATABASE … SET READ_WRITE, or a route to the copy that takes messages."),
        ("database is in read-only mode",),
    ),
    StatusKind(
        28015,
        NOT_ENQUEUED,
        say("The target's database is in single-user mode."),
        say("ALTER DATABASE … SET MULTI_USER, once the work in it is done."),
        ("database is in single-user mode",),
    ),
    StatusKind(
        28018,
        NOT_ENQUEUED,
        say("The target's database is the mirror, and its partner takes the messages."),
        say("Give the route a MIRROR_ADDRESS, so that the sender finds the principal after a failover."),
        ("database is a replica of a mirrored database",),
    ),
    StatusKind(
        28012,
        NOT_ENQUEUED,
        say("The broker of the target's database takes nothing."),
        say("See in sys.databases of the target: state, broker, read-only and single-user mode."),
        ("service broker in the target database is unavailable",),
    ),
    StatusKind(
        28021,
        NOT_ENQUEUED,
        say("A service on the same instance did not take the messages."),
        say("See the event Broker:Message Undeliverable there, and whether its queue is on and its broker enabled."),
        ("could not be delivered to the local service",),
    ),
)
CONVERSATIONS = (
    StatusKind(
        9779,
        CONVERSATION_OVER,
        say("The other side has ended the conversation: these messages are never sent."),
        _END,
        ("received an end conversation message on this conversation",),
    ),
    StatusKind(
        9784,
        CONVERSATION_OVER,
        say("The conversation has got an error: these messages are never sent."),
        _END,
        ("received an error message on this conversation",),
    ),
)
CATALOGUE: tuple[StatusKind, ...] = (
    *DIALOGS,
    *ENQUEUEING[:-1],
    *TRANSPORT,
    *BROKERS,
    *ROUTING,
    *CONVERSATIONS,
    *TARGETS,
    *CONNECTIONS,
    ENQUEUEING[-1],
)
"""In the order in which a text is compared with them."""
BY_NUMBER: Mapping[int, StatusKind] = {kind.number: kind for kind in reversed((*CATALOGUE, *SYSTEM_ERRORS))}
CAUSES: Mapping[int, Sentence] = {number: kind.cause for number, kind in BY_NUMBER.items()}
