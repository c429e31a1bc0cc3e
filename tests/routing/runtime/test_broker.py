"""One instance: frames after a commit, rows locked by other workers, crashes, forwarding."""

from __future__ import annotations

from typing import Any

import pytest

from routing.adjacent.fragment import ERROR, UNSEQUENCED, write_fragment
from routing.adjacent.roles import RoleQuestion, write_role
from routing.dialog.batch import ChangeSet, ClaimRequest
from routing.dialog.end_conversation import end_with_cleanup
from routing.dialog.endpoint import REPLAY_MS
from routing.dialog.error_message import broker_error
from routing.dialog.send import send
from routing.dialog.settings import DialogSettings
from routing.runtime.broker import BYTES_AT_ONCE, POSTPONED_RETRY_MS
from routing.runtime.store import Conflict
from routing.simulation.memory_store import MemoryStore
from tests.routing.dialog.joined import LOCAL, THREE, Joined, carried, joined_estate, way
from tests.routing.dialog.local import ONE, SECOND, TWO


class Lost(Exception):
    """The connection to the store."""


class Failing(MemoryStore):
    """A store whose next commit fails, before or after everything is written; it counts what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = ""
        self.calls: list[str] = []

    def claim(self, wanted: ClaimRequest, now: int) -> Any:
        self.calls.append("claim")
        return super().claim(wanted, now)

    def commit(self, changes: ChangeSet) -> None:
        self.calls.append("commit")
        fails, self.fails = self.fails, ""
        if fails == "before":
            raise Lost
        super().commit(changes)
        if fails == "after":
            raise Lost


def failing() -> tuple[Joined, dict[str, Failing]]:
    stores = {host: Failing() for host in "ab"}
    return Joined(stores=stores), stores


# ---------------------------------------------------------------- frames that leave with the commit of their SEND


def test_a_message_leaves_with_the_commit_of_its_application() -> None:
    world = Joined()
    handle = world.begin()
    world.is_quick = True
    world.send(handle, b"1", b"2")
    assert len(world.brokers["a"].frames_to_send(world.now)) == 2
    assert world.there(handle).ready_since is None
    assert (world.brokers["a"].next_timer() or 0) > world.now, "nothing is due: nobody need be woken"
    world.later(5 * SECOND)
    assert world.received() == ["1", "2"], "these were lost, and are sent again"


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_not_committed_does_not_leave(when: str) -> None:
    world, stores = failing()
    handle = world.begin()
    world.is_quick = True
    stores["a"].fails = when
    with pytest.raises(Lost):
        world.send(handle, b"x")
    assert world.brokers["a"].frames_to_send(world.now) == []
    world.restart("a")
    world.later(5 * SECOND)
    assert world.received() == ["x"] * (when == "after")


def test_a_message_does_not_pass_one_that_waits() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, b"1")
    world.is_quick = True
    world.send(handle, b"2")
    assert world.brokers["a"].frames_to_send(world.now) == []
    world.settle()
    assert world.received() == ["1", "2"]


def test_much_is_left_to_those_who_send_in_parts() -> None:
    world = Joined()
    world.is_quick = True
    most, part = BYTES_AT_ONCE // world.brokers["a"].settings.fragment_bytes, world.brokers["a"].settings.fragment_bytes
    for much in ([bytes(part)] * most + [b"1"], [bytes(part + 1)]):
        world.send(world.begin(), *much)
        assert world.brokers["a"].frames_to_send(world.now) == []
        assert world.brokers["a"].next_timer() == world.now
        world.settle()
    world.send(world.begin(), *[bytes(part)] * most)
    assert len(world.brokers["a"].frames_to_send(world.now)) == most


def test_its_way_may_become_a_local_one_before_it_leaves() -> None:
    """Each attempt chooses one of two routes, and one of these leads back here (LOOP-2): a message that was delivered
    that way no longer waits to be sent."""
    one = {"name": "one", "broker_instance": ONE, "services": [{"name": "From", "queue": "FromQ"}]}
    four = {"name": "four", "broker_instance": THREE, "services": [{"name": "To", "queue": "ToQ"}], "routes": LOCAL}
    routes = [way("To", "b"), way("To", "a")]
    databases = [one | {"routes": routes}, four, {"name": "msdb", "routes": LOCAL}]
    for seed in range(20):
        world = Joined(joined_estate(a={"databases": databases}, three={"services": [], "routes": []}), seed=seed)
        handle = world.begin()
        world.is_quick = True
        world.send(handle, b"x")
        world.settle()
        assert world.received("two") + world.received("four") == ["x"]
        assert world.there(handle).outgoing == 0
        world.brokers["a"].retry_all(world.now)  # finds no row without its conversation once this one has gone
        world.on(end_with_cleanup, handle)
        world.brokers["a"].retry_all(world.now)


# ---------------------------------------------------------------- nothing leaves before the commit


@pytest.mark.parametrize("when", ["before", "after"])
def test_nothing_is_acknowledged_before_it_is_durable(when: str) -> None:
    """ACK-5."""
    world, stores = failing()
    handle = world.begin()
    world.send(handle, b"x")
    world.collect()
    stores["b"].fails = when
    with pytest.raises(Lost):
        world.carry()
    assert world.brokers["b"].frames_to_send(world.now) == []
    assert world.brokers["b"].events() == []
    assert world.depth() == (when == "after")
    world.restart("b")
    world.later(5 * SECOND)
    assert world.received() == ["x"]
    assert world.there(handle).outgoing == 0


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_while_an_acknowledgement_is_taken(when: str) -> None:
    world, stores = failing()
    handle = world.begin()
    world.send(handle, b"x")
    world.collect()
    world.carry()
    world.collect()
    stores["a"].fails = when
    with pytest.raises(Lost):
        world.carry()
    world.restart("a")
    assert world.there(handle).outgoing == (when == "before")
    world.later(5 * SECOND)
    assert world.there(handle).outgoing == 0
    assert world.received() == ["x"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_while_messages_leave(when: str) -> None:
    world, stores = failing()
    handle = world.begin()
    world.send(handle, b"x")
    stores["a"].fails = when
    with pytest.raises(Lost):
        world.collect()
    assert world.brokers["a"].frames_to_send(world.now) == []
    world.restart("a")
    world.settle()
    world.later(5 * SECOND)
    assert world.received() == ["x"]


def test_a_failed_step_frees_what_it_had_claimed() -> None:
    world, stores = failing()
    handle, _ = world.open()
    world.send(handle, b"x")
    stores["a"].fails = "before"
    with pytest.raises(Lost):
        world.collect()
    assert stores["a"]._claims == {}
    world.settle()
    assert world.received() == ["x"]


def test_the_second_of_two_conflicting_commits_writes_nothing() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, b"x")
    (parcel,) = world.collect()
    broker = world.brokers["b"]
    late = broker.work(ClaimRequest(), world.now)
    world.stores["b"].forget_claims()  # another process has taken over
    with pytest.raises(Conflict):
        broker.commit(late)
    broker.receive([parcel.raw], world.now)
    assert world.received() == ["x"]


# ---------------------------------------------------------------- conversations that other workers hold


def test_fragments_of_a_conversation_that_others_hold_are_tried_again() -> None:
    world = Joined()
    handle, target = world.open()
    broker = world.brokers["b"]
    held = broker.work(ClaimRequest(handles=(target,)), world.now)
    world.send(handle, b"x")
    world.settle()
    assert (world.there(handle).outgoing, broker.next_timer()) == (1, world.now + POSTPONED_RETRY_MS)
    world.later(POSTPONED_RETRY_MS)
    assert (world.there(handle).outgoing, broker.next_timer()) == (1, world.now + POSTPONED_RETRY_MS)
    broker.release(held)
    world.later(POSTPONED_RETRY_MS)
    assert (world.received(), world.there(handle).outgoing) == (["x"], 0)


def test_what_comes_next_brings_them_in_before() -> None:
    world = Joined()
    handle, target = world.open()
    other, _ = world.open()
    broker = world.brokers["b"]
    held = broker.work(ClaimRequest(handles=(target,)), world.now)
    world.send(handle, b"x")
    world.settle()
    broker.release(held)
    world.send(other, b"y")
    world.settle()
    assert sorted(world.received()) == ["x", "y"]


def test_no_more_than_a_limit_of_them_waits() -> None:
    world = Joined(settings=DialogSettings(postponed_bytes=1500))
    handle, target = world.open()
    broker = world.brokers["b"]
    held = broker.work(ClaimRequest(handles=(target,)), world.now)
    world.send(handle, *[bytes(1000)] * 3)
    world.settle()
    broker.release(held)
    world.later(POSTPONED_RETRY_MS)
    assert world.depth() == 1
    world.later(5 * SECOND)
    assert world.depth() == 3


def test_what_others_hold_is_not_due_for_this_one() -> None:
    world = Joined()
    handle, _ = world.open()
    world.send(handle, b"x")
    broker = world.brokers["a"]
    held = broker.work(ClaimRequest(handles=(handle,)), world.now)
    assert broker.turn(world.now) is False
    assert broker.frames_to_send(world.now) == []
    broker.release(held)
    broker.turn(world.now)
    assert len(broker.frames_to_send(world.now)) == 1


def test_turns_are_bounded() -> None:
    world = Joined()
    for handle in [world.begin() for _ in range(5)]:
        world.send(handle, b"x")
    broker = world.brokers["a"]
    assert broker.turn(world.now, limit=2)
    assert len(broker.frames_to_send(world.now)) == 2
    assert not broker.turn(world.now)
    assert len(broker.frames_to_send(world.now)) == 3


def test_a_turn_says_that_a_conversation_has_more_to_send() -> None:
    world = Joined(settings=DialogSettings(batch_bytes=2))
    world.send(world.begin(), b"x", b"x", b"x")
    broker = world.brokers["a"]
    assert broker.turn(world.now)
    assert len(broker.frames_to_send(world.now)) == 2
    assert not broker.turn(world.now)
    assert len(broker.frames_to_send(world.now)) == 1


# ---------------------------------------------------------------- the store is asked by the batch


def test_a_batch_of_200_costs_two_calls_and_a_third_when_something_is_put_together() -> None:
    world, stores = failing()
    handles = [world.begin() for _ in range(20)]
    for handle in handles:
        world.send(handle, *[b"%d" % number for number in range(10)])
    stores["a"].calls.clear()
    world.collect()
    assert stores["a"].calls == ["claim", "commit"]
    assert len(world.under_way) == 200
    stores["b"].calls.clear()
    world.carry()
    assert stores["b"].calls == ["claim", "commit"]
    world.settle()
    world.brokers["a"].settings = DialogSettings(fragment_bytes=4)
    for handle in [world.begin() for _ in handles]:
        world.send(handle, b"in several parts")
    parcels = world.collect()
    world.under_way = parcels[::2]
    world.carry()
    world.under_way = parcels[1::2]
    stores["b"].calls.clear()
    world.carry()
    assert stores["b"].calls == ["claim", "claim", "commit"]
    assert world.depth() == 220


# ---------------------------------------------------------------- on the way


def by_the_way(**host: Any) -> Joined:
    """From `a` to `b` by way of `c`, and back directly."""
    return Joined(
        joined_estate(
            one={"routes": [way("To", "c")]},
            three={"services": [], "routes": []},
            msdb_c={"routes": [way("To", "b")]},
            c={"forwarding": True, **host},
        )
    )


def test_a_forwarder_takes_a_hop_off_and_keeps_nothing() -> None:
    world = by_the_way()
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    assert [(parcel.source, parcel.read.header.hops_remaining) for parcel in world.passed] == [
        ("a", 10),
        ("c", 9),
        ("b", 10),
    ]
    assert not world.stores["c"]._endpoints
    assert [event.number for name, _, event in world.events if name == "c"] == [139]
    assert (world.received(), world.there(handle).outgoing) == (["x"], 0)


def test_a_host_that_does_not_forward_drops() -> None:
    world = by_the_way(forwarding=False)
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    assert len(world.passed) == 1
    (event,) = world.reported("c", 140)
    assert event.reason == 9792
    assert world.there(handle).outgoing == 1


def test_a_message_for_a_service_that_is_not_here_is_dropped() -> None:
    world = Joined(joined_estate(two={"services": []}))
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    (event,) = world.reported("b", 160)
    assert (event.reason, event.database) == (9796, "")
    assert world.there(handle).outgoing == 1


@pytest.mark.parametrize("again", [1, 3])
def test_what_leads_back_to_this_instance_is_treated_as_from_outside(again: int) -> None:
    """LOOP-2."""
    aliases = {"addresses": ["tcp://a", *(f"tcp://a{number}" for number in range(again))]}
    msdb = {"routes": [way("To", "a0")]}
    world = Joined(joined_estate(one={"routes": [way("To", "a0")]}, msdb_a=msdb, a={**aliases, "forwarding": True}))
    handle = world.begin()
    world.send(handle)
    world.settle()
    assert (world.there(handle).transmission_status, world.passed) == (9793, [])


def test_a_way_by_this_instance_to_another_takes_hops_off() -> None:
    """LOOP-2: the first time none, from outside one."""
    msdb = {"routes": [*LOCAL, way("To", "b")]}
    routes = [way("To", "a")]
    world = Joined(joined_estate(one={"routes": routes}, msdb_a=msdb, a={"forwarding": True}))
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    assert [parcel.read.header.hops_remaining for parcel in world.passed if parcel.source == "a"] == [9]
    assert world.received() == ["x"]


def test_a_forwarder_that_leads_back_to_itself_drops_when_no_hop_remains() -> None:
    """LOOP-1."""
    world = by_the_way()
    world.brokers["c"].change_estate(joined_estate(msdb_c={"routes": [way("To", "c")]}, c={"forwarding": True}))
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    (event,) = world.reported("c", 140)
    assert event.reason == 11285
    assert world.there(handle).outgoing == 1


def test_two_that_forward_to_each_other_drop_when_no_hop_remains() -> None:
    """LOOP-1."""
    world = by_the_way()
    msdb = {"routes": [way("To", "a")]}
    world.brokers["c"].change_estate(joined_estate(msdb_c=msdb, c={"forwarding": True}))
    world.brokers["a"].change_estate(
        joined_estate(one={"routes": [way("To", "c")]}, msdb_a={"routes": [way("To", "c")]}, a={"forwarding": True})
    )
    handle = world.begin()
    world.send(handle, b"x")
    world.settle()
    hops = [parcel.read.header.hops_remaining for parcel in world.passed]
    assert hops == list(range(10, -1, -1))
    assert [event.reason for event in [*world.reported("a", 140), *world.reported("c", 140)]] == [11285]


def test_a_way_by_a_forwarder_that_is_sent_round_first() -> None:
    """LOOP-2: by its own address, and on by another route: a draw of two, by the seed."""
    rounds = set()
    for seed in range(8):
        world = by_the_way()
        world.choices._bits = Joined(seed=seed).choices._bits
        msdb = {"routes": [way("To", "c"), way("To", "b")]}
        world.brokers["c"].change_estate(joined_estate(msdb_c=msdb, c={"forwarding": True}))
        handle = world.begin()
        world.send(handle, b"x")
        world.settle()
        (event,) = world.reported("c", 139) or world.reported("c", 140)
        rounds.add(10 - event.message.hops_remaining)
        assert world.received() == ["x"]
    assert rounds > {1}


# ---------------------------------------------------------------- time


def test_there_is_nothing_to_wait_for_at_first() -> None:
    world = Joined()
    assert world.brokers["a"].next_timer() is None
    assert world.brokers["a"].turn(world.now) is False


def test_the_next_timer_is_the_first_thing_that_is_due() -> None:
    world = Joined()
    handle = world.begin(lifetime_s=60)
    assert world.brokers["a"].next_timer() == world.now + 60 * SECOND
    world.send(handle)
    assert world.brokers["a"].next_timer() == world.now
    world.collect()
    due = world.brokers["a"].next_timer()
    assert due is not None
    assert world.now + 4 * SECOND <= due < world.now + 5 * SECOND


def test_what_is_late_is_done_all_at_once() -> None:
    world = Joined()
    handles = [world.begin(lifetime_s=60) for _ in range(450)]
    for handle in handles:
        world.send(handle, b"x")
    world.fate = lambda parcel: []
    world.settle()
    world.later(3600 * SECOND)
    assert {world.state(handle) for handle in handles} == {"ER"}
    assert world.brokers["a"].next_timer() is None


def test_a_broker_that_comes_back_goes_on_where_its_store_is() -> None:
    world = Joined()
    handle, target = world.open()
    for round_ in range(5):
        world.send(handle, b"to %d" % round_)
        world.send(target, b"from %d" % round_)
        world.restart("a" if round_ % 2 else "b")
        world.collect()
        world.restart("b" if round_ % 2 else "a")
        world.fate = carried
        world.later(70 * SECOND)
    assert world.received() == [f"to {number}" for number in range(5)]
    assert world.received("one") == [f"from {number}" for number in range(5)]
    world.end(handle)
    world.later(0)
    world.restart("b")
    world.end(target)
    world.later(REPLAY_MS)
    assert (world.state(handle), world.state(target)) == ("", "")


def test_a_refused_verb_leaves_the_conversation_free() -> None:
    world = Joined()
    handle, _ = world.open()
    with pytest.raises(Exception, match="8428"):
        world.on(lambda work, one: send(work, (one,), "No such type"), handle)
    world.send(handle)


def test_a_question_that_names_nobody_to_answer_is_not_answered() -> None:
    """MIR-2: it came on a connection, which answers by itself."""
    world = Joined()
    world.brokers["b"].receive([write_role(RoleQuestion(TWO, "To"))], world.now)
    assert world.brokers["b"].frames_to_send(world.now) == []


def test_what_is_due_in_a_conversation_that_goes_in_the_same_batch_is_not_done() -> None:
    """An answer comes at the moment at which the end would have been sent again."""
    world = Joined()
    handle, target = world.open()
    world.end(handle)
    world.collect()
    world.under_way.clear()
    due = world.there(handle).due
    assert due is not None
    world.now = due
    acknowledged = next(parcel for parcel in world.passed if parcel.source == "b").read.header
    names = acknowledged.names._replace(message_type="Error")
    header = acknowledged._replace(flags=UNSEQUENCED | ERROR, acknowledged=(), names=names)
    world.brokers["a"].receive([write_fragment(header, broker_error(8462))], world.now)
    assert (world.state(handle), world.collect()) == ("", [])
    assert world.state(target) == "CO"
