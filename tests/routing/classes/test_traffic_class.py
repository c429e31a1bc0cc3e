"""The classes of all traffic: what they are, and that every conversation ends as its class does."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE, TrafficClass, Vocabulary
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.model.address import address_in_name
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.rules.journey import outcomes
from tests.strategies import AT, Case, cases, conversations, edits, estates, random_case, random_edit

Json = dict[str, Any]
ID = "6f3f0d5e-0000-4000-8000-000000000001"
ELSEWHERE = "6f3f0d5e-0000-4000-8000-000000000002"
STRANGER = "6f3f0d5e-0000-4000-8000-000000000003"


def estate(*routes: Json, services: tuple[str, ...] = ("S",), name: str = "d") -> Estate:
    """One instance with one database that has these services and routes."""
    named = [{"name": f"R{number}", **route} for number, route in enumerate(routes)]
    database = {"name": name, "broker_instance": ID, "services": list(services), "routes": named}
    instance = {"name": "a", "addresses": ["tcp://a"], "databases": [database]}
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": [instance]}))


PLAIN = estate()
TO_B = {"remote_service_name": "S", "broker_instance": ELSEWHERE, "address": "tcp://b"}
TRANSPORT = {"address": "TRANSPORT"}
NAMED_TRANSPORT = {"remote_service_name": "T", "address": "TRANSPORT"}


# ---------------------------------------------------------------- what there is


def test_entry_points_are_databases_and_instances_reached_from_outside_of_both_estates() -> None:
    assert list(Vocabulary(PLAIN, estate(name="e")).entries) == [("a", "d"), ("a", None), ("a", "e")]


def test_a_name_is_asked_for_with_no_identifier_one_that_occurs_nowhere_and_each_that_it_has() -> None:
    classes = list(Vocabulary(PLAIN, estate(TO_B)).of_name("S"))
    assert classes == [
        TrafficClass("S", None, False),
        TrafficClass("S", UNKNOWN_IDENTIFIER, False),
        TrafficClass("S", ID, False),
        TrafficClass("S", ELSEWHERE, False),
        TrafficClass("S", ID, True),
    ]


def test_a_name_that_occurs_nowhere_has_no_identifier_to_ask_with() -> None:
    assert [one.to_broker_instance for one in Vocabulary(PLAIN, PLAIN).of_name(UNKNOWN_SERVICE)] == [None, "*"]


@pytest.mark.parametrize(
    ("after", "count"),
    [
        (PLAIN, 2 * (3 + 2 + 1)),
        (estate(TO_B), 2 * (4 + 2 + 1)),
        (estate(NAMED_TRANSPORT), 2 * (3 + 2 + 1 + 2)),
        (estate(TRANSPORT), 2 * (3 + 2 + 1 + 2 + 2)),
        (estate(name="e"), 3 * (3 + 2 + 1)),
        (estate(services=("S", "T")), 2 * (3 + 3 + 2 + 1 + 1)),
    ],
)
def test_classes_are_counted_without_making_them(after: Estate, count: int) -> None:
    vocabulary = Vocabulary(PLAIN, after)
    each = [one for name in vocabulary.identifiers for one in vocabulary.of_name(name)]
    assert vocabulary.count() == count == len(each) * len(vocabulary.entries)


@pytest.mark.parametrize(
    ("service", "shown"), [("S", "S"), (UNKNOWN_SERVICE, "*"), (f"tcp://a:4022/{UNKNOWN_SERVICE}", "tcp://a:4022/*")]
)
def test_a_stand_in_is_shown_as_an_asterisk(service: str, shown: str) -> None:
    assert TrafficClass(service, None, False).shown_service == shown


# ---------------------------------------------------------------- where a conversation belongs


@pytest.mark.parametrize(
    ("service", "identifier", "is_reply", "belongs_to"),
    [
        ("S", None, False, TrafficClass("S", None, False)),
        ("S", ID, False, TrafficClass("S", ID, False)),
        ("S", STRANGER, False, TrafficClass("S", UNKNOWN_IDENTIFIER, False)),
        ("S", ID, True, TrafficClass("S", ID, True)),
        ("S", ELSEWHERE, True, TrafficClass("S", ELSEWHERE, False)),
        ("S", None, True, TrafficClass("S", None, False)),
        ("Other", None, False, TrafficClass(UNKNOWN_SERVICE, None, False)),
        ("Other", ID, False, TrafficClass(UNKNOWN_SERVICE, UNKNOWN_IDENTIFIER, False)),
        ("TCP://A/x", None, False, TrafficClass(f"tcp://a:4022/{UNKNOWN_SERVICE}", None, False)),
        ("tcp://else", None, False, TrafficClass(f"tcp://*/{UNKNOWN_SERVICE}", None, False)),
        ("tcp://else:0", None, False, TrafficClass(UNKNOWN_SERVICE, None, False)),
    ],
)
def test_a_conversation_belongs_to_the_class_that_asks_for_the_same(
    service: str, identifier: str | None, is_reply: bool, belongs_to: TrafficClass
) -> None:
    vocabulary = Vocabulary(PLAIN, estate(TO_B, TRANSPORT))
    assert vocabulary.class_of(service, identifier, is_reply=is_reply) == belongs_to


def test_names_that_hold_addresses_are_as_any_other_where_no_transport_route_lacks_a_name() -> None:
    vocabulary = Vocabulary(PLAIN, estate(NAMED_TRANSPORT))
    assert vocabulary.class_of("tcp://a/x", None, is_reply=False) == TrafficClass(UNKNOWN_SERVICE, None, False)


# ---------------------------------------------------------------- every conversation ends as its class does


def ends(estate: Estate, conversation: Conversation, traffic: TrafficClass) -> set[Outcome]:
    """What the class ends in, with the address of this conversation's name for the stand-in's."""
    representative = Conversation(conversation.instance, conversation.database, *traffic)
    address = address_in_name(conversation.to_service)
    return {
        end._replace(detail=address.key) if end.detail == "tcp://*:4022" and address else end
        for end in outcomes(estate, representative, AT)
    }


def agree(estate: Estate, vocabulary: Vocabulary, document: Json) -> None:
    conversation = conversation_from(document)
    if misdirected(estate, vocabulary, conversation):
        return
    traffic = vocabulary.class_of(
        conversation.to_service, conversation.to_broker_instance, is_reply=conversation.is_reply
    )
    assert set(outcomes(estate, conversation, AT)) == ends(estate, conversation, traffic), document


def misdirected(estate: Estate, vocabulary: Vocabulary, conversation: Conversation) -> bool:
    """A reply for a database that does not have the service: the one kind of traffic that no class stands for.

    RT-REPLY drops it where that database is; classes of replies have the identifiers of databases with the service.
    """
    known = vocabulary.reply_identifiers.get(conversation.to_service, set())
    if not conversation.is_reply or conversation.to_broker_instance in known:
        return False
    return any(conversation.to_broker_instance in instance.identified for instance in estate.instances.values())


@given(cases())
def test_every_conversation_ends_as_its_class_does(case: Case) -> None:
    estate = read_estate(json.dumps(case.estate))
    for conversation in case.conversations:
        agree(estate, Vocabulary(estate, estate), conversation)


@given(st.data())
def test_also_in_the_vocabulary_of_a_change(data: st.DataObject) -> None:
    document = data.draw(estates())
    conversation = data.draw(conversations(document))
    before, after = (read_estate(json.dumps(one)) for one in (document, data.draw(edits(document))))
    agree(before, Vocabulary(before, after), conversation)


def test_hundreds_of_estates_have_no_conversation_without_its_class() -> None:
    for seed in range(400):
        rng = random.Random(seed)
        case = random_case(rng)
        before, after = (read_estate(json.dumps(one)) for one in (case.estate, random_edit(rng, case.estate)))
        vocabulary = Vocabulary(before, after)
        for conversation in case.conversations:
            agree(before, vocabulary, conversation)


def test_a_reply_for_a_database_without_the_service_is_dropped_as_no_class_is() -> None:
    """Traffic of this kind is weighed with the unknown identifiers, whose outcome is another."""
    reply = Conversation("a", None, "Other", ID, is_reply=True)
    vocabulary = Vocabulary(PLAIN, PLAIN)
    assert misdirected(PLAIN, vocabulary, reply)
    assert outcomes(PLAIN, reply, AT) == (Outcome("dropped", "a", "service_not_found"),)
    traffic = vocabulary.class_of("Other", ID, is_reply=True)
    assert ends(PLAIN, reply, traffic) == {Outcome("dropped", "a", "no_route")}
