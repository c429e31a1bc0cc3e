"""Every verb with bad input: the product's number, one clear sentence, and nothing was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction

from brokerui.estate.models import Version
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.models import (
    ConversationEndpoint,
    ConversationGroup,
    OutgoingMessage,
    Queue,
    QueueMessage,
)
from brokerui.messaging.services import (
    Message,
    broker_disable,
    broker_enable,
    broker_renew,
    conversation_begin,
    conversation_end,
    conversation_end_with_cleanup,
    conversation_end_with_error,
    conversation_id,
    conversation_move,
    conversation_send,
    conversation_timer_start,
    database_fail_over,
    message_receive,
    message_rolled_back,
    queue_set_status,
    transmission_status,
)
from routing.dialog.endpoint import MAX_LIFETIME_S
from routing.dialog.problems import VerbError
from routing.model.catalog_objects import Contract, ContractMessage, MessageType, Service
from routing.model.edits import PutDatabase
from routing.model.estate import Database
from tests.brokerui.messaging.hosted import Wire

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough("verbs look at their input before they ask the database", on="postgresql"),
]
NOWHERE = "6f3f0d5e-0000-4000-8000-0000000000ff"
OTHER = "6f3f0d5e-0000-4000-8000-0000000000fe"
Call = Callable[["Case"], object]


class Huge(bytes):
    """A body of 2 GB, which takes no memory."""

    def __len__(self) -> int:
        return 2**31


@dataclass
class Case:
    """Conversations in each of their states, and a group of another queue."""

    begun: str
    """Nothing was sent yet; its contract is C."""
    open: str
    ended: str
    """By this side: the other one does not know yet."""
    left: str
    """Its peer has ended."""
    broken: str
    """Its peer has ended with an error."""
    peer: str
    """The target of `open`."""
    group: str
    """A group of another service, with another queue."""


def put(instance: str, database: str, *services: Service) -> None:
    live = estate_current()
    before = live.estate.instances[instance].databases[database]
    messages = (ContractMessage("Ask", "INITIATOR"), ContractMessage("Tell", "TARGET"))
    types = tuple(MessageType(name) for name in ("Ask", "Tell", "Stray"))
    after = Database(
        database,
        before.broker_instance,
        services=services,
        contracts=(Contract("C", messages),),
        message_types=types,
        table=before.table,
    )
    estate_edit(edits=[PutDatabase(instance, after)], base_version=live.version, author="test")


def begin(**named: Any) -> str:
    given: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
    return conversation_begin(**(given | {"encryption": False, "contract": "C"} | named)).conversation_handle


def send(handle: str, message_type: str = "Ask", *, by: str = "A", body: bytes | None = b"x") -> None:
    conversation_send(instance=by, handles=[handle], messages=[Message(body, message_type)])


@pytest.fixture
def case(wire: Wire) -> Case:
    put("A", "one", Service("From", "FromQ"), Service("Twin", "FromQ"), Service("Else", "ElseQ"))
    put("B", "two", Service("To", "ToQ", ("C", "DEFAULT")))
    opened, ended, left, broken = (begin() for _ in range(4))
    peers = []
    for handle in (opened, ended, left, broken):
        send(handle)
        wire.carry()
        peers.append(message_receive(instance="B", database="two", queue="ToQ")[0].conversation_handle)
    conversation_end(instance="B", handle=peers[2])
    conversation_end_with_error(instance="B", handle=peers[3], code=1, description="no")
    wire.carry()
    conversation_end(instance="A", handle=ended)
    group = conversation_begin(instance="A", database="one", from_service="Else", to_service="To")
    return Case(begin(), opened, ended, left, broken, peers[0], group.conversation_group_id)


def over(handle: str = "", **named: Any) -> dict[str, Any]:
    return {"instance": "A", "handle": handle, **named}


REFUSED: list[tuple[str, int, Call]] = [
    # BEGIN DIALOG
    ("begin by a service that is not there", 8423, lambda c: begin(from_service="Nobody")),
    ("begin by a service of another case", 8423, lambda c: begin(from_service="FROM")),
    ("begin by nobody", 8423, lambda c: begin(from_service="")),
    ("begin on a contract that is not there", 8425, lambda c: begin(contract="D")),
    ("begin to no name", 8412, lambda c: begin(to_service="")),
    ("begin to a name that is too long", 8412, lambda c: begin(to_service="x" * 257)),
    ("begin to an invalid identifier", 8413, lambda c: begin(to_broker_instance="x")),
    ("begin for no time", 8411, lambda c: begin(lifetime_s=0)),
    ("begin for less than no time", 8411, lambda c: begin(lifetime_s=-1)),
    ("begin for longer than an int", 8411, lambda c: begin(lifetime_s=MAX_LIFETIME_S + 1)),
    ("begin beside an unknown conversation", 8426, lambda c: begin(related_conversation=NOWHERE)),
    ("begin in a group of another queue", 8414, lambda c: begin(related_conversation_group=c.group)),
    ("begin in a group of another service", 9610, lambda c: begin(from_service="Twin", related_conversation=c.open)),
    # SEND
    ("send on nothing", 8418, lambda c: conversation_send(instance="A", handles=[], messages=[Message(b"x")])),
    ("send on an unknown conversation", 8426, lambda c: send(NOWHERE)),
    ("send on an invalid handle", 8426, lambda c: send("no handle")),
    ("send on no handle", 8426, lambda c: send("")),
    ("send on one of another instance", 8426, lambda c: send(c.peer)),
    (
        "send twice on one",
        8451,
        lambda c: conversation_send(instance="A", handles=[c.open] * 2, messages=[Message(b"x", "Ask")]),
    ),
    (
        "send on several, one of them unknown",
        8426,
        lambda c: conversation_send(instance="A", handles=[c.open, NOWHERE], messages=[Message(b"x", "Ask")]),
    ),
    ("send when this side has ended", 8429, lambda c: send(c.ended)),
    ("send when the other side has ended", 8429, lambda c: send(c.left)),
    ("send after an error", 8429, lambda c: send(c.broken)),
    ("send NULL", 8433, lambda c: send(c.open, body=None)),
    ("send 2 GB", 8459, lambda c: send(c.open, body=Huge())),
    ("send a type that is not there", 8428, lambda c: send(c.open, "None")),
    ("send no type", 8428, lambda c: send(c.open, "")),
    (
        "send an end as a message",
        8428,
        lambda c: send(c.open, "http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog"),
    ),
    ("send a type of no contract", 8431, lambda c: send(c.open, "Stray")),
    ("send a type of another contract", 8431, lambda c: send(c.open, "DEFAULT")),
    ("send a type of the target's", 8432, lambda c: send(c.open, "Tell")),
    ("send a type of the initiator's", 8434, lambda c: send(c.peer, "Ask", by="B")),
    (
        "send one message and one of a wrong type",
        8431,
        lambda c: conversation_send(
            instance="A", handles=[c.open], messages=[Message(b"x", "Ask"), Message(b"y", "Stray")]
        ),
    ),
    # RECEIVE
    ("receive fewer than none", 127, lambda c: message_receive(instance="A", database="one", queue="FromQ", top=-1)),
    ("receive from an unknown conversation", 8426, lambda c: message_receive(**QUEUE, conversation_handle=NOWHERE)),
    (
        "wait for an unknown conversation",
        8426,
        lambda c: message_receive(**QUEUE, conversation_handle=NOWHERE, wait_s=60),
    ),
    # END CONVERSATION
    ("end an unknown conversation", 8426, lambda c: conversation_end(**over(NOWHERE))),
    ("end twice", 8427, lambda c: conversation_end(**over(c.ended))),
    (
        "end an unknown conversation with an error",
        8426,
        lambda c: conversation_end_with_error(**over(NOWHERE), **ERROR),
    ),
    ("end twice, with an error", 8427, lambda c: conversation_end_with_error(**over(c.ended), **ERROR)),
    ("end with no code", 8419, lambda c: conversation_end_with_error(**over(c.open), **(ERROR | {"code": 0}))),
    (
        "end with a code of the product's",
        8419,
        lambda c: conversation_end_with_error(**over(c.open), **(ERROR | {"code": -8489})),
    ),
    (
        "end with no description",
        8419,
        lambda c: conversation_end_with_error(**over(c.open), **(ERROR | {"description": ""})),
    ),
    (
        "end with a description that is too long",
        8419,
        lambda c: conversation_end_with_error(**over(c.open), **(ERROR | {"description": "x" * 3001})),
    ),
    ("clean up an unknown conversation", 8426, lambda c: conversation_end_with_cleanup(**over(NOWHERE))),
    # MOVE CONVERSATION
    ("move an unknown conversation", 8426, lambda c: conversation_move(**over(NOWHERE, conversation_group_id=c.group))),
    ("move to a group that is not there", 8439, lambda c: conversation_move(**over(c.open), **TO_NOWHERE)),
    (
        "move to a group of another queue",
        8439,
        lambda c: conversation_move(**over(c.open), conversation_group_id=c.group),
    ),
    ("move an ended conversation", 8438, lambda c: conversation_move(**over(c.ended), conversation_group_id=c.group)),
    # BEGIN CONVERSATION TIMER
    ("time an unknown conversation", 8426, lambda c: conversation_timer_start(**over(NOWHERE), timeout_s=1)),
    ("time an ended conversation", 8458, lambda c: conversation_timer_start(**over(c.ended), timeout_s=1)),
    ("time a conversation in error", 8458, lambda c: conversation_timer_start(**over(c.broken), timeout_s=1)),
    (
        "time beyond the lifetime",
        8410,
        lambda c: conversation_timer_start(**over(c.open), timeout_s=MAX_LIFETIME_S + 1),
    ),
    # GET_TRANSMISSION_STATUS, and the conversation's id
    ("status of an unknown conversation", 8426, lambda c: transmission_status(**over(NOWHERE))),
    ("id of an unknown conversation", 8426, lambda c: conversation_id(**over(NOWHERE))),
    # ALTER DATABASE
    ("failover of a database without a partner", 1416, lambda c: database_fail_over(instance="A", database="one")),
]
ERROR: dict[str, Any] = {"code": 1, "description": "no"}
TO_NOWHERE = {"conversation_group_id": NOWHERE}


def everything() -> list[Any]:
    """All that a verb may change."""
    tables = (ConversationEndpoint, ConversationGroup, OutgoingMessage, Queue, QueueMessage, Version)
    return [sorted(map(repr, table._default_manager.values())) for table in tables]


def check(number: int, call: Call, case: Case) -> None:
    before = everything()
    with pytest.raises((VerbError, MessagingError)) as raised, transaction.atomic():
        call(case)
    error = raised.value
    assert isinstance(error, (VerbError, MessagingError))
    sentence = str(error.problem)
    assert error.number == number, sentence
    assert sentence[0].isupper() or sentence[0] == '"', sentence
    assert sentence.endswith("."), sentence
    assert not {"{", "\n"} & set(sentence), sentence
    assert everything() == before


def test_bad_input_of_every_verb_has_its_number(case: Case) -> None:
    for _what, number, call in REFUSED:
        check(number, call, case)
    assert message_receive(**QUEUE, conversation_group_id=NOWHERE) == ()
    send(case.open)  # and the conversation goes on


QUEUE: dict[str, Any] = {"instance": "A", "database": "one", "queue": "FromQ"}
DATABASE: dict[str, Any] = {"instance": "A", "database": "one"}
OF_QUEUES: list[Callable[..., object]] = [
    message_receive,
    message_rolled_back,
    lambda **place: queue_set_status(**place, is_on=False),
]
OF_DATABASES: list[Callable[..., object]] = [
    begin,
    broker_enable,
    broker_disable,
    broker_renew,
    database_fail_over,
]


def test_what_is_not_there_has_its_number(case: Case) -> None:
    def place(verb: Callable[..., object], given: dict[str, Any]) -> Call:
        return lambda _case: verb(**given)

    for verb in OF_QUEUES:
        check(208, place(verb, QUEUE | {"queue": "None"}), case)
        check(911, place(verb, QUEUE | {"database": "none"}), case)
        check(0, place(verb, QUEUE | {"instance": "Z"}), case)
    for verb in OF_DATABASES:
        check(911, place(verb, DATABASE | {"database": "none"}), case)
        check(0, place(verb, DATABASE | {"instance": "Z"}), case)


def test_a_queue_that_is_off_gives_nothing(case: Case) -> None:
    queue_set_status(**QUEUE, is_on=False)
    check(9617, lambda _case: message_receive(**QUEUE), case)
