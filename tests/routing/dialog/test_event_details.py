"""What events report about messages: which one, how much, on which way, since when, and why it waits."""

from __future__ import annotations

from routing.common.broker_events import MessagesReceived, MessagesSent
from routing.common.event_subclasses import AcknowledgementSubclass, SentSubclass
from routing.common.network_events import Acknowledgement
from routing.dialog.end_conversation import end_conversation, end_with_cleanup, end_with_error
from tests.routing.dialog.joined import NOW, Joined, joined_estate, way
from tests.routing.dialog.local import Local

SENT, RECEIVED = 1001, 1002
WHOLE = 1_048_575


def test_a_message_is_named_alike_where_it_is_sent_and_where_it_arrives() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, b"first", b"second!")
    world.settle()
    sent = [event for event in world.reported("a", 124) if event.subclass == 1]
    came = [event for event in world.reported("b", 124) if event.subclass == 6]
    assert [(one.message_sequence_number, one.size) for one in sent] == [(0, 5), (1, 7)]
    assert [(one.message_sequence_number, one.size) for one in came] == [(0, 5), (1, 7)]
    assert {(one.service_name, one.far_service, one.is_initiator) for one in sent} == {("From", "To", True)}
    assert {(one.service_name, one.far_service, one.is_initiator) for one in came} == {("To", "From", False)}
    assert {one.conversation_id for one in (*sent, *came)} == {world.there(handle).conversation_id}
    (begun,) = [event for event in world.reported("a", 124) if event.subclass == 11]
    assert (begun.message_sequence_number, begun.size) == (-1, 0)


def test_what_leaves_is_told_once_for_a_conversation_with_its_way_and_its_wait() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, b"first", b"second!")
    world.now += 50
    world.settle()
    conversation = world.there(handle).conversation_id
    assert world.reported("a", SENT) == [
        MessagesSent(
            *(SentSubclass.SENT, "one", conversation, handle, True, "From", "To", None),
            *("To_b", "tcp://b:4022", 0, 0, 1, 2, 12, NOW),
        )
    ]
    assert [(one.route, one.from_initiator, one.from_service) for one in world.reported("a", 141)] == [
        ("To_b", True, "From")
    ]
    assert {(one.database, one.from_initiator, one.from_service) for one in world.reported("b", 141)} == {
        ("two", True, "From")
    }


def test_what_is_sent_again_says_so_and_how_often_it_failed() -> None:
    world = Joined()
    world.fate = lambda parcel: []
    world.send(world.begin(), b"lost")
    world.settle()
    for _ in range(2):
        world.later(20_000)
    again = world.reported("a", SENT)
    assert [(one.subclass, one.attempts) for one in again] == [(1, 0), (2, 1), (2, 2)]
    assert {(one.message_sequence_number, one.messages, one.size, one.enqueue_time) for one in again} == {
        (0, 1, 4, NOW)
    }


def test_a_large_message_counts_once() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, bytes(200_000), b"small")
    world.settle()
    events = world.reported("a", SENT)
    assert sum(one.size for one in events) == 200_005
    assert events[0].messages == 2
    assert (events[0].first_message_sequence_number, events[0].message_sequence_number) == (0, 1)


def test_an_acknowledgement_names_the_range_and_whose_messages_it_is_of() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, b"0", b"1", b"2")
    world.settle()
    conversation = world.there(handle).conversation_id
    (given,), (heard,) = world.reported("b", 149), world.reported("a", 149)
    assert given == Acknowledgement(
        AcknowledgementSubclass.ACKNOWLEDGEMENT_SENT, "two", conversation, 2, WHOLE, 0, True
    )
    assert heard == Acknowledgement(
        AcknowledgementSubclass.ACKNOWLEDGEMENT_RECEIVED, "one", conversation, 2, WHOLE, 0, True
    )
    (there,) = {message.conversation_handle for message in world.receive()}
    world.send(there, b"reply")
    world.settle()
    # What the initiator has sent is acknowledged once more with the reply, and then the reply.
    for host in "ba":
        assert [one.from_initiator for one in world.reported(host, 149)[1:]] == [True, False]


def test_what_an_application_receives_is_told_by_conversation() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, b"0", b"11")
    world.settle()
    world.now += 30
    there = world.receive()[0].conversation_handle
    world.settle()
    (event,) = world.reported("b", RECEIVED)
    assert event == MessagesReceived("two", "ToQ", there, 0, 1, 2, 3, NOW)
    world.end(there)
    world.settle()
    assert world.received("one") == ["END"]
    world.settle()
    (end,) = world.reported("a", RECEIVED)
    assert (end.queue, end.message_sequence_number, end.messages, end.size) == ("FromQ", 0, 1, 0)


def test_an_error_of_the_broker_has_no_number() -> None:
    world = Joined()
    handle, there = world.open()
    world.on(end_with_cleanup, there)
    world.send(handle, b"to nobody")
    world.settle()
    assert world.received("one") == ["ERROR"]
    world.settle()
    assert [(one.first_message_sequence_number, one.messages) for one in world.reported("a", RECEIVED)] == [(-1, 1)]


def test_an_end_that_is_sent_has_a_number_and_one_that_is_not_has_none() -> None:
    world = Joined()
    handle, there = world.open()
    world.end(handle)
    world.settle()
    world.end(there)
    world.settle()
    assert [one.message_sequence_number for one in world.reported("a", 124) if one.subclass == 2] == [1]
    assert [one.message_sequence_number for one in world.reported("b", 124) if one.subclass in (2, 7)] == [1, -1]
    handle, there = world.open()
    world.on(end_with_error, handle, 7, "no")
    world.settle()
    sent = [one for one in world.reported("a", 124) if one.subclass == 3]
    came = [one for one in world.reported("b", 124) if one.subclass == 8]
    assert [(one.message_sequence_number, one.size > 0) for one in sent] == [(1, True)]
    assert [(one.message_sequence_number, one.size) for one in came] == [(1, sent[0].size)]


def test_the_route_by_which_a_fragment_is_forwarded_is_told() -> None:
    world = Joined(
        joined_estate(one={"routes": [way("To", "c")]}, msdb_c={"routes": [way("To", "b")]}, c={"forwarding": True})
    )
    world.send(world.begin(), b"x")
    world.settle()
    assert {(one.route, one.message.adjacent_broker_address) for one in world.reported("c", 139)} == {
        ("To_b", "tcp://b:4022")
    }


def statuses(world: Local) -> list[tuple[int, int]]:
    return [(one.previous_status, one.status) for one in world.events if one.number == 1003]


def test_why_a_conversation_waits_is_told_when_it_changes_and_when_it_goes_on() -> None:
    world = Local()
    world.switch(on=False)
    handle = world.begin()
    world.send(handle)
    world.later(5_000)
    world.later(10_000)
    assert statuses(world) == [(0, 9749)]
    world.switch(on=True)
    world.later(20_000)
    assert statuses(world) == [(0, 9749), (9749, 0)]
    (first, _) = [one for one in world.events if one.number == 1003]
    assert first[:7] == ("one", world.there(handle).conversation_id, handle, True, "From", "To", None)


def test_an_ended_endpoint_has_no_transmission_status() -> None:
    world = Local()
    for verb in (end_with_cleanup, end_conversation):
        handle = world.begin(to="Nobody")
        world.send(handle)
        world.on(verb, handle)
        if verb is end_conversation:
            world.on(end_with_cleanup, handle)
    assert statuses(world) == [(0, 9796), (9796, 0)] * 2
