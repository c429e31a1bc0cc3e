"""Conversations within one instance, from BEGIN DIALOG to the last trace."""

from __future__ import annotations

from typing import Any

import pytest

from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.conversation_timer import begin_conversation_timer
from routing.dialog.end_conversation import end_conversation, end_with_cleanup, end_with_error
from routing.dialog.endpoint import REPLAY_MS
from routing.dialog.error_message import read_error
from routing.dialog.move_conversation import move_conversation
from routing.dialog.poison_messages import note_commit, note_rollback
from routing.dialog.problems import VerbError
from routing.dialog.queue_status import switch_off
from routing.dialog.receive import get_conversation_group
from routing.dialog.send import send
from routing.dialog.settings import DialogSettings
from routing.runtime.broker import Broker
from routing.runtime.store import QueueDepth
from tests.routing.dialog.local import DAY, NOW, ONE, SECOND, TWO, Json, Local, small_estate

THREE = "6f3f0d5e-0000-4000-8000-000000000003"
COPIES = (("two", "ToQ"), ("three", "To"))


def refused(number: int) -> Any:
    return pytest.raises(VerbError, match=f"^{number}:")


# ---------------------------------------------------------------- BEGIN DIALOG


def test_begin_dialog_makes_an_endpoint_and_sends_nothing() -> None:
    world = Local()
    there = world.there(world.begin(lifetime_s=60))
    assert (there.state, there.is_initiator, there.lifetime, there.priority) == ("SO", True, NOW + 60 * SECOND, 5)
    assert (there.queue, there.far_service, there.send_sequence) == ("FromQ", "To", 0)
    assert world.store.depth(("two", "ToQ")) == QueueDepth(0, None)
    assert world.reported() == ["136:1", "124:11"]


@pytest.mark.parametrize(
    ("named", "number"),
    [
        ({"contract": "Nothing"}, 8425),
        ({"lifetime_s": 0}, 8411),
        ({"lifetime_s": 2**31}, 8411),
        ({"related_conversation": "nowhere"}, 8426),
    ],
)
def test_begin_dialog_refuses(named: dict[str, Any], number: int) -> None:
    with refused(number):
        Local().begin(**named)


def test_begin_dialog_refuses_a_service_that_is_not_of_the_database() -> None:
    with refused(8423):
        Local().do(begin_dialog, "one", "To", "From", wanted=ClaimRequest())


def test_an_identifier_drawn_twice_is_an_error_and_no_second_conversation() -> None:
    world = Local()
    world.choices._bits = lambda _: 7
    work = world.broker.work(ClaimRequest(), NOW)
    begin_dialog(work, "one", "From", "To")
    with refused(8461):
        begin_dialog(work, "one", "From", "To")


def test_related_conversations_share_a_group() -> None:
    world = Local()
    first = world.begin()
    group = world.there(first).conversation_group_id
    by_handle = world.do(
        begin_dialog, "one", "From", "To", related_conversation=first, wanted=ClaimRequest(handles=(first,))
    )
    by_group = world.do(
        begin_dialog, "one", "From", "To", related_conversation_group=group, wanted=ClaimRequest(groups=(group,))
    )
    assert {world.there(handle).conversation_group_id for handle in (first, by_handle, by_group)} == {group}
    assert world.reported().count("136:1") == 1
    for handle in (first, by_handle, by_group):
        world.on(end_conversation, handle)
    assert world.reported().count("136:2") == 1


def test_a_group_that_is_nowhere_is_made() -> None:
    world = Local()
    handle = world.begin(related_conversation_group="mine")
    assert world.there(handle).conversation_group_id == "mine"


def test_a_group_of_another_service_is_refused() -> None:
    shared = [{"name": name, "queue": "FromQ"} for name in ("From", "Also")]
    world = Local(small_estate(one={"services": shared}))
    group = world.there(world.begin()).conversation_group_id
    with refused(9610):
        world.do(
            begin_dialog, "one", "Also", "To", related_conversation_group=group, wanted=ClaimRequest(groups=(group,))
        )


def test_a_group_of_another_queue_is_refused() -> None:
    world = Local()
    _, target = world.open()
    group = world.there(target).conversation_group_id
    with refused(8414):
        world.do(
            begin_dialog, "one", "From", "To", related_conversation_group=group, wanted=ClaimRequest(groups=(group,))
        )


# ---------------------------------------------------------------- SEND, RECEIVE


def test_a_local_message_goes_straight_into_the_queue() -> None:
    """TOB-3."""
    world = Local()
    handle = world.begin()
    world.send(handle, body=b"hello")
    there = world.there(handle)
    assert (there.state, there.send_sequence, there.outgoing, there.transmitted) == ("CO", 1, 0, 1)
    assert (there.far_broker_instance, there.kept_route) == (TWO, "AutoCreatedLocal")
    assert world.store.depth(("two", "ToQ")) == QueueDepth(1, NOW)
    (message,) = world.receive()
    assert (message.message_body, message.message_sequence_number, message.status) == (b"hello", 0, 1)
    assert (message.service_name, message.service_contract_name, message.validation) == ("To", "DEFAULT", "N")
    target = world.there(message.conversation_handle)
    assert (target.state, target.is_initiator, target.far_service) == ("CO", False, "From")
    assert (target.far_broker_instance, target.conversation_id) == (ONE, there.conversation_id)
    assert (target.lifetime, target.receive_sequence) == (there.lifetime, 1)
    assert world.reported()[2:] == ["124:1", "141:1", "136:1", "124:12", "124:6"]


def test_messages_arrive_once_and_in_order_both_ways() -> None:
    world = Local()
    handle, target = world.open()
    for number in range(5):
        world.send(handle, body=b"to %d" % number)
        world.send(target, body=b"fro %d" % number)
    assert world.received("two") == [f"to {number}" for number in range(5)]
    assert world.received("one") == [f"fro {number}" for number in range(5)]
    assert world.received("two") == world.received("one") == []


def test_one_message_on_many_conversations() -> None:
    world = Local()
    handles = tuple(world.begin() for _ in range(3))
    world.send(*handles, body=b"all")
    assert world.received() == ["all"] * 3


@pytest.mark.parametrize(
    ("handles", "message_type", "number"),
    [
        ((), "Ask", 8418),
        (("a", "a"), "Ask", 8451),
        (("a", "nowhere"), "Ask", 8426),
        (("a", "b"), "Nothing", 8428),
        (("a", "b"), "DEFAULT", 8431),
        (("a", "b"), "Tell", 8432),
        (("a", "ended"), "Ask", 8429),
    ],
)
def test_send_is_for_all_conversations_or_for_none(handles: tuple[str, ...], message_type: str, number: int) -> None:
    world = Local()
    named = {"a": world.begin("C"), "b": world.begin("C"), "ended": world.open("C")[1]}
    world.on(end_conversation, named["ended"])
    with refused(number):
        world.send(*(named.get(handle, handle) for handle in handles), message_type=message_type)
    assert [world.there(named[name]).send_sequence for name in "ab"] == [0, 0]
    assert world.received() == []


def test_receive_gives_one_group_at_a_time_in_the_order_of_its_coming() -> None:
    world = Local()
    handles = [world.begin() for _ in range(3)]
    for body in (b"1", b"2"):
        for handle in handles:
            world.send(handle, body=body)
    received = [world.receive() for _ in range(4)]
    assert [[m.message_body for m in messages] for messages in received] == [[b"1", b"2"]] * 3 + [[]]
    assert len({messages[0].conversation_group_id for messages in received[:3]}) == 3


def test_receive_top_leaves_the_rest_in_its_place() -> None:
    world = Local()
    handle = world.begin()
    for number in range(5):
        world.send(handle, body=b"%d" % number)
    assert [m.message_body for m in world.receive(top=2)] == [b"0", b"1"]
    assert world.received(top=2) == ["2", "3", "4"]


def test_receive_of_one_conversation_or_group() -> None:
    world = Local()
    first, second = world.open()[1], world.open()[1]
    group = world.there(second).conversation_group_id
    for target in (first, second):
        peer = world.there(target).conversation_id
        (handle,) = world.do(
            lambda work, key: [work.by_key(key)], (peer, True), wanted=ClaimRequest(conversations=((peer, True),))
        )
        world.send(handle.conversation_handle, body=target.encode())
    assert [m.message_body for m in world.receive(group=group)] == [second.encode()]
    assert world.receive(group=group) == world.receive(handle=second) == world.receive(group="nowhere") == ()
    with pytest.raises(VerbError, match="nowhere"):
        world.receive(handle="nowhere")
    assert [m.message_body for m in world.receive(handle=first)] == [first.encode()]


def test_what_was_received_and_rolled_back_comes_again() -> None:
    world = Local()
    world.send(world.begin(), body=b"again")
    request = ReceiveRequest(("two", "ToQ"))
    work = world.broker.work(ClaimRequest(receive=request), NOW)
    assert len(work.batch.received) == 1
    assert world.receive() == ()
    world.broker.release(work)
    assert world.received() == ["again"]


def test_get_conversation_group_locks_it_for_a_receive() -> None:
    world = Local()
    target = world.open()[1]
    handle = world.begin()
    world.send(handle, body=b"other")
    request = ReceiveRequest(("two", "ToQ"), top=0)
    work = world.broker.work(ClaimRequest(receive=request), NOW)
    group = get_conversation_group(work, request)
    assert group not in (None, world.there(target).conversation_group_id)
    assert world.receive() == ()
    again = world.broker.work(
        ClaimRequest(receive=ReceiveRequest(("two", "ToQ"), group=group), token=work.batch.token), NOW
    )
    assert [m.message_body for m in again.batch.received] == [b"other"]
    world.broker.release(again)
    assert world.received() == ["other"]
    empty = world.broker.work(ClaimRequest(receive=request), NOW)
    assert get_conversation_group(empty, request) is None


def test_higher_priorities_are_received_first() -> None:
    priorities = [{"name": "p", "contract_name": "C", "priority_level": 8}]
    world = Local(small_estate(two={"priorities": priorities}))
    low, high = world.begin(), world.begin("C")
    world.send(low, body=b"low")
    world.send(high, message_type="Ask", body=b"high")
    assert world.there(high).priority == 5
    assert world.received() == ["high", "low"]


# ---------------------------------------------------------------- END CONVERSATION


@pytest.mark.parametrize("first", [0, 1])
def test_both_sides_end(first: int) -> None:
    world = Local()
    sides = world.open()
    one, other = sides[first], sides[1 - first]
    queues = ("one", "two") if first == 0 else ("two", "one")
    world.send(one, body=b"last")
    world.on(end_conversation, one)
    assert world.state(other) == "DI"
    # Acknowledged at once: a target stays closed, an initiator goes.
    assert world.state(one) == ("CD" if first else "")
    assert world.received(queues[1]) == ["last", "END"]
    with refused(8429):
        world.send(other)
    world.on(end_conversation, other)
    assert sorted(map(world.state, sides)) == ["", "CD"]
    assert world.received("one") == world.received("two") == []


def test_ending_deletes_what_waits_in_the_own_queue_and_in_no_other() -> None:
    world = Local()
    handle, target = world.open()
    kept = world.begin()
    world.send(handle, body=b"unread")
    world.send(kept, body=b"kept")
    world.on(end_conversation, target)
    assert world.received() == ["kept"]
    assert world.received("one") == ["END"]


def test_ending_before_anything_was_sent_leaves_nothing() -> None:
    world = Local()
    handle = world.begin()
    world.on(end_conversation, handle)
    assert world.state(handle) == ""
    assert world.received() == []
    assert world.reported()[-2:] == ["124:2", "136:2"]


@pytest.mark.parametrize("first", [0, 1])
def test_ending_with_an_error_tells_the_other_side(first: int) -> None:
    world = Local()
    sides = world.open()
    world.on(end_with_error, sides[first], 5, "no <good>")
    (message,) = world.receive("one" if first else "two")
    assert read_error(message.message_body or b"") == (5, "no <good>")
    assert world.state(sides[1 - first]) == "ER"
    world.on(end_with_error, sides[1 - first], 1, "me too")
    assert sorted(map(world.state, sides)) == ["", "CD"]
    assert world.received("one") == world.received("two") == []


@pytest.mark.parametrize(("code", "description"), [(0, "x"), (-1, "x"), (1 << 31, "x"), (1, ""), (1, "x" * 3001)])
def test_an_error_needs_a_code_and_a_description(code: int, description: str) -> None:
    world = Local()
    with refused(8419):
        world.on(end_with_error, world.begin(), code, description)


def test_ending_twice_is_refused() -> None:
    world = Local()
    handle, target = world.open()
    world.on(end_conversation, target)
    with refused(8427):
        world.on(end_conversation, target)
    world.on(end_conversation, handle)
    with refused(8426):
        world.on(end_conversation, handle)


@pytest.mark.parametrize("first", [0, 1])
def test_cleanup_removes_one_side_and_the_other_learns_of_it_when_it_sends(first: int) -> None:
    world = Local()
    sides = world.open()
    world.on(end_with_cleanup, sides[first])
    assert world.state(sides[first]) == ""
    assert world.state(sides[1 - first]) == "CO"
    world.send(sides[1 - first])
    assert world.state(sides[1 - first]) == "ER"
    (message,) = world.receive("two" if first == 0 else "one")
    assert (read_error(message.message_body or b"") or (0, ""))[0] == -8462
    assert world.reported()[-1] == "124:9"


def test_an_end_that_finds_nobody_is_an_end() -> None:
    world = Local()
    handle, target = world.open()
    world.on(end_with_cleanup, target)
    world.on(end_conversation, handle)
    assert world.state(handle) == ""
    assert world.received("one") == []


def test_a_message_for_a_closed_target_is_answered_with_an_error() -> None:
    world = Local()
    handle, target = world.open()
    world.on(end_conversation, target)
    assert world.state(target) == "CD"
    assert world.received("one") == ["END"]
    with refused(8429):
        world.send(handle)


def test_a_closed_target_is_forgotten_when_no_replay_is_possible() -> None:
    world = Local()
    handle, target = world.open()
    world.on(end_conversation, handle)
    world.on(end_conversation, target)
    world.later(REPLAY_MS - 1)
    assert world.state(target) == "CD"
    world.later(1)
    assert world.state(target) == ""
    assert world.reported()[-2:] == ["124:5", "136:2"]
    world.later(DAY)
    assert world.reported()[-2:] == ["124:5", "136:2"]


# ---------------------------------------------------------------- MOVE, timer, lifetime


def test_move_takes_the_messages_along() -> None:
    world = Local()
    (handle, target), (_, other) = world.open(), world.open()
    world.send(handle, body=b"moved")
    group = world.there(other).conversation_group_id
    wanted = ClaimRequest(handles=(target,), groups=(group,))
    world.do(move_conversation, target, group, wanted=wanted)
    assert world.there(target).conversation_group_id == group
    assert [m.message_body for m in world.receive(group=group)] == [b"moved"]
    world.do(move_conversation, target, group, wanted=wanted)
    assert world.reported().count("136:2") == 1


def test_a_conversation_moved_in_the_transaction_that_fills_its_queue_takes_that_along() -> None:
    world = Local()
    handle, target = world.open()
    other = world.open()[1]
    group = world.there(other).conversation_group_id
    work = world.broker.work(ClaimRequest(handles=(handle, target), groups=(group,)), NOW)
    beside = begin_dialog(work, "one", "From", "To")
    send(work, [beside, handle], "DEFAULT", b"new")
    move_conversation(work, target, group)
    world.broker.commit(work)
    assert [m.message_body for m in world.receive(group=group)] == [b"new"]
    assert world.received() == ["new"]


@pytest.mark.parametrize("group", ["nowhere", "other queue"])
def test_move_refuses_groups_that_are_not_of_the_queue(group: str) -> None:
    world = Local()
    handle, target = world.open()
    if group == "other queue":
        group = world.there(handle).conversation_group_id
    with refused(8439):
        world.do(move_conversation, target, group, wanted=ClaimRequest(handles=(target,), groups=(group,)))


def test_move_refuses_what_is_closed() -> None:
    world = Local()
    _, target = world.open()
    world.on(end_conversation, target)
    with refused(8438):
        world.on(move_conversation, target, "any")


def test_the_timer_puts_a_message_into_the_own_queue_before_the_others() -> None:
    world = Local()
    handle, target = world.open()
    world.on(begin_conversation_timer, target, 60)
    world.send(handle, body=b"earlier")
    world.later(59 * SECOND)
    assert world.store.depth(("two", "ToQ")).messages == 1
    world.later(SECOND)
    assert world.received() == ["TIMER", "earlier"]
    assert world.there(target).dialog_timer is None
    world.later(DAY)
    assert world.received() == []


def test_a_timer_begun_again_starts_anew() -> None:
    world = Local()
    handle = world.begin()
    world.on(begin_conversation_timer, handle, 10)
    world.on(begin_conversation_timer, handle, 20)
    world.later(10 * SECOND)
    assert world.received("one") == []
    world.later(10 * SECOND)
    assert world.received("one") == ["TIMER"]


def test_a_timer_cannot_outlive_the_conversation_nor_its_end() -> None:
    world = Local()
    handle = world.begin(lifetime_s=60)
    world.on(begin_conversation_timer, handle, 60)
    with refused(8410):
        world.on(begin_conversation_timer, handle, 61)
    _, target = world.open()
    world.on(begin_conversation_timer, target, 60)
    world.on(end_conversation, target)
    assert world.there(target).dialog_timer is None
    with refused(8458):
        world.on(begin_conversation_timer, target, 60)


def test_at_the_end_of_the_lifetime_both_sides_get_an_error() -> None:
    world = Local()
    sides = world.open(lifetime_s=60)
    world.later(60 * SECOND - 1)
    assert list(map(world.state, sides)) == ["CO", "CO"]
    world.later(1)
    assert list(map(world.state, sides)) == ["ER", "ER"]
    for database in ("one", "two"):
        (message,) = world.receive(database)
        assert read_error(message.message_body or b"") == (-8489, "The dialog has exceeded its lifetime.")
    assert world.reported().count("124:4") == 2
    with refused(8429):
        world.send(sides[0])
    world.later(DAY)
    assert list(map(world.state, sides)) == ["ER", "ER"]
    for handle in sides:
        world.on(end_conversation, handle)
    assert list(map(world.state, sides)) == ["", "CD"]


def test_after_the_peers_end_the_lifetime_means_nothing() -> None:
    world = Local()
    handle, target = world.open(lifetime_s=60)
    world.on(end_conversation, handle)
    world.later(60 * SECOND)
    assert world.state(target) == "DI"
    assert world.received() == ["END"]
    assert world.reported().count("124:4") == 0


# ---------------------------------------------------------------- validation on receipt


def test_what_fails_its_validation_is_not_delivered_and_ends_the_conversation() -> None:
    world = Local()
    handle, target = world.open("C")
    world.send(handle, message_type="Xml", body=b"<no")
    assert (world.state(handle), world.state(target)) == ("ER", "ER")
    codes = [read_error(message.message_body or b"") for d in ("one", "two") for message in world.receive(d)]
    assert [code and code[0] for code in codes] == [-9615, -9616]
    assert "160:1" in world.reported()


def test_a_first_message_that_fails_makes_no_endpoint() -> None:
    world = Local()
    handle = world.begin("C")
    world.send(handle, message_type="Xml", body=b"<no")
    assert world.state(handle) == "ER"
    assert world.received() == []
    assert world.received("one") == ["ERROR"]


def test_a_target_that_does_not_take_the_contract_answers_with_an_error() -> None:
    world = Local(small_estate(two={"services": [{"name": "To", "queue": "ToQ", "contracts": ["DEFAULT"]}]}))
    handle = world.begin("C")
    world.send(handle, message_type="Ask")
    (message,) = world.receive("one")
    assert read_error(message.message_body or b"") == (
        -8408,
        'The target service "To" does not support the contract "C".',
    )


# ---------------------------------------------------------------- what cannot go straight


def test_while_the_queue_is_off_messages_wait_and_keep_their_order() -> None:
    world = Local()
    handle = world.open()[0]
    world.switch(on=False)
    for number in range(3):
        world.send(handle, body=b"%d" % number)
    there = world.there(handle)
    assert (there.outgoing, there.transmission_status, there.attempts) == (3, 9749, 1)
    with refused(9617):
        world.receive()
    world.later(3_999)
    assert world.there(handle).attempts == 1
    world.later(1_001)
    assert world.there(handle).attempts == 2
    world.switch(on=True)
    world.send(handle, body=b"3")
    assert world.there(handle).outgoing == 4
    world.later(0)
    assert world.received() == ["0", "1", "2", "3"]
    there = world.there(handle)
    assert (there.outgoing, there.transmission_status, there.attempts, there.next_attempt) == (0, 0, 0, None)


def test_a_conversation_that_begins_while_the_queue_is_off() -> None:
    world = Local()
    world.switch(on=False)
    handle = world.begin()
    world.send(handle, body=b"0")
    world.on(end_conversation, handle)
    assert (world.state(handle), world.there(handle).outgoing) == ("DO", 2)
    world.switch(on=True)
    world.later(5_000)
    assert world.received() == ["0", "END"]
    assert world.state(handle) == ""
    assert world.reported().count("124:10") == 1
    assert world.reported()[-2:] == ["124:10", "136:2"]


def test_ending_with_an_error_when_nothing_has_left_tells_nobody() -> None:
    world = Local()
    world.switch(on=False)
    handle = world.begin()
    world.send(handle, body=b"never")
    world.on(end_with_error, handle, 1, "stop")
    assert world.state(handle) == ""
    world.switch(on=True)
    world.later(DAY)
    assert world.received() == []


def test_ending_with_an_error_overtakes_what_has_not_left() -> None:
    world = Local()
    handle = world.open()[0]
    world.switch(on=False)
    world.send(handle, body=b"never")
    world.send(handle, body=b"never")
    world.on(end_with_error, handle, 1, "stop")
    there = world.there(handle)
    assert (there.state, there.send_sequence, there.outgoing, there.end_dialog_sequence) == ("DO", 2, 1, 1)
    world.switch(on=True)
    world.later(10_000)
    assert world.received() == ["ERROR"]
    assert world.state(handle) == ""


def test_a_target_that_errs_before_it_has_sent_anything_tells_the_initiator() -> None:
    world = Local()
    handle, target = world.open()
    world.switch(on=False, database="one")
    world.send(target, body=b"never")
    world.on(end_with_error, target, 1, "stop")
    world.switch(on=True, database="one")
    world.later(10_000)
    assert world.received("one") == ["ERROR"]
    assert (world.state(handle), world.state(target)) == ("ER", "CD")


def test_what_waits_for_a_peer_that_has_ended_is_dropped() -> None:
    world = Local()
    handle, target = world.open()
    world.switch(on=False)
    world.send(handle, body=b"never")
    world.on(end_conversation, target)
    assert (world.state(handle), world.there(handle).outgoing) == ("DI", 0)
    world.switch(on=True)
    world.later(DAY)
    assert world.received() == []
    assert world.state(target) == ""


def test_an_end_that_waits_is_given_up_at_the_end_of_the_lifetime() -> None:
    world = Local()
    handle = world.begin(lifetime_s=60)
    world.switch(on=False)
    world.send(handle)
    world.on(end_conversation, handle)
    world.later(60 * SECOND)
    assert world.state(handle) == ""
    assert world.reported()[-2:] == ["136:2", "124:4"]


def test_without_a_route_messages_wait_with_the_products_status() -> None:
    world = Local(small_estate(one={"routes": []}))
    handle = world.begin()
    world.send(handle)
    assert world.there(handle).transmission_status == 9793
    assert world.reported()[-1] == "141:3"
    moments = []
    for _ in range(7):
        due = world.there(handle).due
        assert due is not None
        moments.append(due - world.now)
        world.later(due - world.now)
    for wait, least in zip(moments, [4, 8, 16, 32, 64, 64, 64], strict=True):
        assert least * SECOND <= wait < least * SECOND * 9 / 8


def test_a_service_that_is_not_here() -> None:
    world = Local()
    handle = world.begin(to="Elsewhere")
    world.send(handle)
    assert world.there(handle).transmission_status == 9796


def test_more_messages_than_a_batch_holds_follow_at_once() -> None:
    world = Local()
    handle = world.begin()
    world.switch(on=False)
    for number in range(150):
        world.send(handle, body=b"%d" % number)
    world.switch(on=True)
    world.later(0)
    assert world.there(handle).outgoing == 50
    world.later(0)
    assert world.received() == [str(number) for number in range(150)]


def test_a_route_to_the_instance_itself_is_routed_by_msdb() -> None:
    """LOOP-2."""
    routes = [{"name": "Loop", "address": "tcp://a"}]
    world = Local(small_estate(one={"routes": routes}, two={"routes": [{"name": "L", "address": "LOCAL"}]}))
    handle = world.begin()
    world.send(handle)
    assert world.there(handle).transmission_status == 9793
    outside = {"name": "msdb", "routes": [{"name": "L", "address": "LOCAL"}]}
    world = Local(small_estate(one={"routes": routes}, msdb=outside))
    world.send(world.begin(), body=b"round")
    assert world.received() == ["round"]


def test_messages_for_another_instance_wait_for_the_network() -> None:
    world = Local(small_estate(one={"routes": [{"name": "Far", "address": "tcp://b"}]}))
    handle = world.begin(encryption=False)
    world.send(handle)
    there = world.there(handle)
    assert (there.outgoing, there.transmission_status, there.transmitted) == (1, 0, 0)
    world.later(0)
    assert world.there(handle).transmitted == 1
    assert [getattr(event, "next_hop", "") for event in world.events if event.number == 141] == ["tcp://b:4022"]


def test_a_queue_that_poison_switched_off_is_an_event() -> None:
    world = Local()
    world.do(switch_off, ("two", "ToQ"), wanted=ClaimRequest(), is_poisoned=True)
    assert world.reported() == ["143:0"]
    with refused(9617):
        world.receive()


@pytest.mark.parametrize(("state", "status"), [({"broker_enabled": False}, 9791), ({"mirroring_role": "MIRROR"}, 954)])
def test_a_database_that_is_disabled_or_a_mirror_sends_nothing(state: Json, status: int) -> None:
    """NET-2: what it has to say waits in its transmission queue, and goes once it may."""
    world = Local(small_estate(one=state))
    handle = world.begin()
    world.send(handle, body=b"1")
    world.send(handle, body=b"2")
    world.later(5 * SECOND)
    there = world.there(handle)
    assert (there.transmission_status, there.outgoing, world.received()) == (status, 2, [])
    world.broker.change_estate(small_estate())
    world.broker.retry_all(world.now)
    world.later(0)
    assert world.received() == ["1", "2"]
    assert world.there(handle).transmission_status == 0


def test_fewer_than_no_messages_cannot_be_received() -> None:
    world = Local()
    world.send(world.begin())
    with refused(127):
        world.receive(top=-1)
    assert len(world.receive(top=1)) == 1


def test_the_queues_that_were_filled_are_told_once() -> None:
    world = Local()
    handle = world.begin()
    assert world.broker.filled() == set()
    world.send(handle)
    world.on(begin_conversation_timer, handle, 10)
    world.later(11 * SECOND)
    assert world.broker.filled() == {("two", "ToQ"), ("one", "FromQ")}
    assert world.broker.filled() == set()


def poisoned(world: Local, times: int) -> list[bool]:
    """Transactions that received are rolled back; whether each switched the queue off."""
    return [world.do(note_rollback, ("two", "ToQ"), wanted=ClaimRequest()) for _ in range(times)]


def test_five_rollbacks_in_a_row_switch_a_queue_off() -> None:
    world = Local()
    world.send(world.begin(), body=b"poison")
    since = len(world.events)
    assert poisoned(world, 4) == [False] * 4
    assert world.reported(since) == []
    assert poisoned(world, 1) == [True]
    assert world.reported(since) == ["143:0"]
    with refused(9617):
        world.receive()
    assert poisoned(world, 6) == [False] * 6
    world.switch(True)
    assert poisoned(world, 5) == [False] * 4 + [True]


def test_a_transaction_that_is_committed_makes_rollbacks_begin_anew() -> None:
    world = Local()
    assert poisoned(world, 4) == [False] * 4
    world.do(note_commit, ("two", "ToQ"), wanted=ClaimRequest())
    assert poisoned(world, 4) == [False] * 4
    world.do(note_commit, ("one", "FromQ"), wanted=ClaimRequest())
    assert poisoned(world, 1) == [True]


def test_a_queue_without_poison_handling_stays_on() -> None:
    world = Local(small_estate(two={"queues": [{"name": "ToQ", "poison_handling": False}]}))
    assert poisoned(world, 20) == [False] * 20


def test_what_waits_is_tried_at_once_when_routes_change() -> None:
    world = Local(small_estate(one={"routes": []}))
    handle = world.begin()
    world.send(handle, body=b"now")
    world.broker = Broker(small_estate(), "a", world.store, world.choices)
    world.broker.retry_all(world.now)
    world.later(0)
    assert world.received() == ["now"]


def test_a_choice_that_is_open_is_drawn_for_each_conversation_and_kept() -> None:
    """RT-STICKY: with several copies of the service, each conversation stays with the one that it got."""
    world = Local(small_estate(msdb={"name": "three", "broker_instance": THREE, "services": ["To"]}))
    handles = tuple(world.begin() for _ in range(20))
    world.send(*handles)
    counts = {database: world.store.depth((database, queue)).messages for database, queue in COPIES}
    assert sum(counts.values()) == 20
    assert min(counts.values()) > 2
    for _ in range(3):
        world.send(*handles)
    assert {d: world.store.depth((d, q)).messages for d, q in COPIES} == {d: 4 * n for d, n in counts.items()}


def test_what_waits_for_a_target_that_was_removed_is_answered_with_an_error() -> None:
    world = Local()
    handle, target = world.open()
    world.switch(on=False)
    world.send(handle)
    world.send(handle)
    world.on(end_with_cleanup, target)
    world.later(10_000)
    assert (world.state(handle), world.there(handle).outgoing) == ("ER", 0)
    assert world.received("one") == ["ERROR"]


@pytest.mark.parametrize("seed", range(8))
def test_two_errors_that_cross_close_both_sides(seed: int) -> None:
    """Whichever of the two is tried first."""
    world = Local(seed=seed)
    first = seed % 2
    sides = world.open()
    for database in ("one", "two"):
        world.switch(on=False, database=database)
    world.on(end_with_error, sides[first], 1, "mine")
    world.now += 1
    world.on(end_with_error, sides[1 - first], 2, "yours")
    assert list(map(world.state, sides)) == ["DO", "DO"]
    for database in ("one", "two"):
        world.switch(on=True, database=database)
    world.later(10_000)
    assert list(map(world.state, sides)) == ["", "CD"]
    assert world.received("one") == world.received("two") == []
    world.later(REPLAY_MS)
    assert list(map(world.state, sides)) == ["", ""]


def test_a_timer_at_the_very_end_of_the_lifetime_runs_out() -> None:
    world = Local()
    handle, target = world.open(lifetime_s=60)
    world.on(begin_conversation_timer, target, 60)
    world.on(end_conversation, handle)
    world.later(60 * SECOND)
    assert world.state(target) == "DI"
    assert world.received() == ["TIMER", "END"]


@pytest.mark.parametrize(
    ("named", "number"),
    [
        ({"to": ""}, 8412),
        ({"to": "x" * 257}, 8412),
        ({"to_broker_instance": "no guid"}, 8413),
    ],
)
def test_begin_dialog_takes_no_target_that_could_not_be_named(named: dict[str, str], number: int) -> None:
    world = Local()
    with pytest.raises(VerbError) as raised:
        world.begin(**named)
    assert raised.value.number == number


def test_an_identifier_is_kept_as_it_is_compared() -> None:
    world = Local()
    handle = world.begin(to_broker_instance="{" + TWO.upper() + "}")
    endpoint = world.endpoint(handle)
    assert endpoint is not None
    assert endpoint.far_broker_instance == TWO


@pytest.mark.parametrize("body", [None, b""])
def test_an_empty_body_and_none_are_the_same(body: bytes | None) -> None:
    world = Local()
    world.send(world.begin(), body=body)
    (message,) = world.receive()
    assert message.message_body is None


def test_a_message_longer_than_the_setting_allows_is_refused() -> None:
    world = Local()
    world.broker.settings = DialogSettings(message_bytes=10)
    handle = world.begin()
    world.send(handle, body=bytes(10))
    with refused(8459):
        world.send(handle, body=bytes(11))
    assert len(world.receive()) == 1
