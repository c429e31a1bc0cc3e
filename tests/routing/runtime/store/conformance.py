"""What every store must do. A test module of a store subclasses `StoreConformance` and gives the fixture `store`."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

import pytest

from routing.common.event_subclasses import MirroredRouteSubclass
from routing.dialog.appended_messages import AppendedMessages
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM, ChangeSet, ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import ConversationGroupState, Endpoint
from routing.dialog.messages import BufferedFragment, FragmentNumber, OutboundMessage, QueuedMessage
from routing.dialog.ranges import RangeSet
from routing.dialog.system_names import ERROR_TYPE, TIMER_TYPE
from routing.dialog.transmission import LargeMessage, Transmission
from routing.mirror.state_machine import SENDING, MirroredRoute, MirroredRouteKey
from routing.runtime.store import Conflict, OutdatedError, QueueDepth, Store

NOW = 1_900_000_000_000
Q = ("db", "Q")
ALL = ReceiveRequest(Q)


def endpoint(handle: str, group: str = "", **named: Any) -> Endpoint:
    """An endpoint of the conversation named like its handle without the last letter, `i` for the initiator."""
    made = Endpoint(
        handle, handle[:-1], handle.endswith("i"), "db", "S", "Q", "T", None, "DEFAULT", group or handle, NOW, "CO", 5
    )
    for name, value in named.items():
        setattr(made, name, value)
    made.may_wait = bool(made.outgoing or made.held)
    return made


def message(handle: str, number: int, group: str = "", **named: Any) -> QueuedMessage:
    values = {"priority": 5, "message_type_name": "DEFAULT", "message_enqueue_time": NOW, **named}
    return QueuedMessage(
        database="db",
        queue="Q",
        conversation_group_id=group or handle,
        conversation_handle=handle,
        message_sequence_number=number,
        service_name="S",
        service_contract_name="DEFAULT",
        validation="N",
        message_body=f"{handle} {number}".encode(),
        **values,
    )


def held(handle: str, number: int, fragment: int, **named: Any) -> BufferedFragment:
    return BufferedFragment(handle, number, fragment, 3, "DEFAULT", b"%d" % fragment, NOW, **named)


def texts_of(messages: Iterable[QueuedMessage]) -> list[str]:
    return [(m.message_body or b"").decode() for m in messages]


def write(store: Store, *endpoints: Endpoint, **named: Any) -> None:
    """Commit new endpoints with their groups, and whatever else changes, in a claim of its own."""
    write_under(store, store.claim(ClaimRequest(), NOW).token, *endpoints, **named)


def write_under(store: Store, token: int, *endpoints: Endpoint, **named: Any) -> None:
    changes = ChangeSet(token, NOW, endpoints={e.conversation_handle: e for e in endpoints}, **named)
    for made in endpoints:
        group = changes.groups.setdefault(
            made.conversation_group_id, ConversationGroupState(made.conversation_group_id, "db", "S", "Q")
        )
        assert group is not None
        group.conversations += 1
    store.commit(changes)


def look(store: Store, wanted: ClaimRequest, now: int = NOW) -> ClaimedBatch:
    """A claim that ends at once."""
    batch = store.claim(wanted, now)
    store.release(batch.token)
    return batch


def take(store: Store, request: ReceiveRequest = ALL) -> list[str]:
    """Receive and commit."""
    batch = store.claim(ClaimRequest(receive=request), NOW)
    store.commit(ChangeSet(batch.token, NOW, received=list(batch.received)))
    return texts_of(batch.received)


def take_at_once(store: Store, request: ReceiveRequest = ALL) -> list[str]:
    """Receive without a claim, by the state of the instance as it is now."""
    batch = store.take(request, look(store, ClaimRequest()), NOW)
    assert batch is not None
    return texts_of(batch.received)


RECEIVING = (
    "test_a_conversation_is_received_in_its_order_errors_and_timers_first",
    "test_a_group_is_received_by_priority_then_conversation_by_conversation",
    "test_the_group_with_the_highest_priority_comes_first_then_the_oldest",
    "test_moved_messages_are_received_with_their_new_group",
    "test_depth_and_age_are_kept_with_every_commit",
    "test_any_traffic_is_received_in_the_order_of_a_list",
)
"""Tests that receive and commit."""


def run_at_once(name: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test of `RECEIVING` whose every RECEIVE goes without a claim."""
    monkeypatch.setattr(sys.modules[__name__], "take", take_at_once)
    run = getattr(StoreConformance(), name)
    run(store, **({"seed": 7} if "seed" in signature(run).parameters else {}))


def adding(store: Store, seen: Endpoint, **named: Any) -> AppendedMessages:
    """Two messages that follow those that an endpoint has sent."""
    numbers = (seen.send_sequence, seen.send_sequence + 1)
    rows = tuple(
        OutboundMessage(seen.conversation_handle, number, "DEFAULT", b"%d" % number, NOW) for number in numbers
    )
    known = look(store, ClaimRequest()).requests
    return AppendedMessages(before=seen, requests=known, messages=rows, ready_since=NOW, window=8, now_ms=NOW, **named)


def retaining(batch: ClaimedBatch) -> ChangeSet:
    """A receive of a queue with RETENTION."""
    kept = [one.retained() for one in batch.received]
    return ChangeSet(batch.token, NOW, received=list(batch.received), retained_received=kept)


def retain(store: Store, request: ReceiveRequest = ALL) -> list[str]:
    """Receive, retain and commit."""
    batch = store.claim(ClaimRequest(receive=request), NOW)
    store.commit(retaining(batch))
    return texts_of(batch.received)


def look_at(store: Store, group: str) -> tuple[QueuedMessage, ...]:
    """What a group has."""
    return look(store, ClaimRequest(receive=ReceiveRequest(Q, group=group))).received


def removing(store: Store, handle: str) -> None:
    """An application ends a conversation with CLEANUP."""
    batch = store.claim(ClaimRequest((handle,)), NOW)
    store.commit(ChangeSet(batch.token, NOW, removed=[handle], groups=dict.fromkeys(batch.groups)))


def changing(store: Store, handle: str, **named: Any) -> None:
    """An application changes an endpoint."""
    batch = store.claim(ClaimRequest((handle,), wait_ms=10_000), NOW)
    changed = batch.endpoints[handle].copied()
    for name, value in named.items():
        setattr(changed, name, value)
    store.commit(ChangeSet(batch.token, NOW, endpoints={handle: changed}))


ONE = (("1", False),)
"""The conversation into which messages arrive."""


def arrival(batch: ClaimedBatch) -> ChangeSet:
    """The next message of a peer, for the endpoint `1t`."""
    after = batch.endpoints["1t"].copied()
    after.receive_sequence += 1
    arrived = message("1t", after.receive_sequence - 1)
    return ChangeSet(batch.token, NOW, endpoints={"1t": after}, enqueued=[arrived])


def arrive(store: Store) -> bool:
    """A message arrives; whether its conversation was recalled."""
    if (batch := store.recall(ONE, NOW)) is not None:
        try:
            store.commit(arrival(batch))
        except OutdatedError:
            pass
        else:
            return True
    batch = store.claim(ClaimRequest(conversations=ONE), NOW)
    if batch.busy:
        store.release(batch.token)
        raise Conflict("another has it")
    store.commit(arrival(batch))
    return False


def recalled(store: Store) -> ClaimedBatch:
    """A conversation in which two messages have arrived."""
    write(store, endpoint("1t"))
    assert [arrive(store), arrive(store)] == [False, False]
    batch = store.recall(ONE, NOW)
    assert batch is not None
    return batch


RetainedRows = Callable[[], list[tuple[int, str, int]]]
"""Reads all messages that RETENTION keeps: queuing order, body, status; in their order."""


class StoreConformance:
    """Claims, commits, order, counters. A subclass gives the fixtures `store` and `retained`."""

    can_append = True
    """Whether the store adds messages without a claim. One that cannot always refuses."""

    # ------------------------------------------------------------ endpoints and claims

    def test_an_empty_store_has_nothing_and_says_so(self, store: Store) -> None:
        wanted = ClaimRequest(("h",), ("g",), (("c", True),), due=10, receive=ALL)
        batch = look(store, wanted)
        assert (batch.endpoints, batch.handles, batch.groups, batch.outgoing) == ({}, {}, {}, {})
        assert (batch.due, batch.received, batch.received_group, batch.busy) == ((), (), None, frozenset())
        assert store.depth(Q) == QueueDepth(0, None)

    @pytest.mark.parametrize("wanted", [ClaimRequest(("1i",)), ClaimRequest(conversations=(("1", False),))])
    def test_a_conversation_is_claimed_with_both_its_sides(self, store: Store, wanted: ClaimRequest) -> None:
        write(store, endpoint("1i"), endpoint("1t", "shared"), endpoint("2t", "shared"))
        batch = look(store, wanted)
        assert batch.endpoints == {"1i": endpoint("1i"), "1t": endpoint("1t", "shared")}
        assert batch.handles == {("1", True): "1i", ("1", False): "1t"}
        assert batch.groups == {
            "1i": ConversationGroupState("1i", "db", "S", "Q", 1),
            "shared": ConversationGroupState("shared", "db", "S", "Q", 2),
        }
        assert batch.busy == frozenset()

    # ------------------------------------------------------------ messages added without a claim

    @pytest.mark.parametrize(
        "stored",
        [
            {},
            {"outgoing": 2, "transmitted": 2},
            {"outgoing": 2, "transmitted": 2, "ready_since": NOW - 5},
            {"outgoing": 9, "transmitted": 9, "acknowledged_sequence": 0, "next_attempt": NOW + 9},
            {"outgoing": 1, "transmission_status": 9727, "next_attempt": NOW + 100},
            {"dialog_timer": NOW - 50},
        ],
    )
    def test_appended_messages_are_as_if_they_were_committed(self, store: Store, stored: dict[str, Any]) -> None:
        written = endpoint("1t", send_sequence=9, **stored)
        written.lifetime = NOW + 500
        written.due = written.first_due()
        write(store, written)
        appended = adding(store, endpoint("1t", send_sequence=9))
        assert (store.append(appended) is not None) == self.can_append
        if not self.can_append:
            assert look(store, ClaimRequest(("1t",))).endpoints["1t"] == written
            return
        after = look(store, ClaimRequest(("1t",))).endpoints["1t"]
        assert after == appended.onto(written)
        sent = look(store, ClaimRequest(due=9), NOW + 1_000).outgoing.get("1t", ())
        assert sent[-2:] == appended.messages or after.transmission_status

    @pytest.mark.parametrize(
        ("stored", "have_left"),
        [
            ({}, True),
            ({"acknowledged_sequence": 9}, True),
            ({"acknowledged_sequence": 3}, True),  # six are in flight: there is room for two
            ({"acknowledged_sequence": 2}, False),
            ({"next_attempt": NOW + 7}, True),
            ({"dialog_timer": NOW + 3}, True),
            ({"sending_sequence": 8}, False),  # it has sent them before, and sends them again
            ({"sending_sequence": 8, "ready_since": NOW - 1}, False),
            ({"ready_since": NOW - 1}, False),
            ({"transmission_status": 9793, "next_attempt": NOW + 7}, False),
            ({"integrity": 3}, False),
            ({"key_id": b"other key"}, False),
        ],
    )
    def test_appended_messages_leave_if_it_is_their_turn(
        self, store: Store, stored: dict[str, Any], have_left: bool
    ) -> None:
        sent = {"transmitted": 9, "sending_sequence": 9, "acknowledged_sequence": 8, "integrity": 1, "key_id": b"key"}
        written = endpoint("1t", **{"send_sequence": 9, "fragment_bytes": 1000, **sent, **stored})
        written.outgoing = 9 - written.acknowledged_sequence
        written.lifetime, written.due = NOW + 5000, None
        written.due = written.first_due()
        write(store, written)
        appended = adding(store, endpoint("1t", send_sequence=9, integrity=1, key_id=b"key"), next_attempt=NOW + 400)
        outcome = store.append(appended)
        assert outcome == (appended.outcome(written) if self.can_append else None)
        after = look(store, ClaimRequest(("1t",))).endpoints["1t"]
        assert after == (appended.onto(written) if self.can_append else written)
        if outcome is not None:
            assert (outcome.have_left, after.sending_sequence == 11, after.transmitted == 11) == (have_left,) * 3

    @pytest.mark.parametrize(
        "remembered",
        [
            {"send_sequence": 8},
            {"state": "DI"},
            {"conversation_group_id": "2t"},
            {"far_broker_instance": "id"},
            {"kept_route": "r"},
            {"kept_identifier": "id"},
            {"kept_database": "db"},
        ],
    )
    def test_nothing_is_appended_to_a_conversation_that_has_changed(
        self, store: Store, remembered: dict[str, Any]
    ) -> None:
        write(store, endpoint("1t", send_sequence=9), endpoint("2t"))
        seen = endpoint("1t", **{"send_sequence": 9, **remembered})
        assert not store.append(adding(store, seen))
        assert look(store, ClaimRequest(("1t",))).endpoints["1t"] == endpoint("1t", send_sequence=9)
        assert not look(store, ClaimRequest(due=9), NOW + 1_000).due

    @pytest.mark.parametrize("held", [ClaimRequest(("1t",)), ClaimRequest(conversations=(("1", False),))])
    def test_nothing_is_appended_while_a_claim_holds_the_conversation(self, store: Store, held: ClaimRequest) -> None:
        write(store, endpoint("1t", send_sequence=9))
        appended = adding(store, endpoint("1t", send_sequence=9))
        token = store.claim(held, NOW).token
        assert not store.append(appended)
        store.release(token)
        assert look(store, ClaimRequest(("1t",))).endpoints["1t"].outgoing == 0

    def test_nothing_is_appended_by_what_was_known_of_the_instance(self, store: Store) -> None:
        write(store, endpoint("1t", send_sequence=9))
        appended = adding(store, endpoint("1t", send_sequence=9))
        write(store, requests={("db", "T"): "1t"})
        look(store, ClaimRequest())
        assert not store.append(appended)

    # ------------------------------------------------------------ conversations that are recalled

    def other(self, store: Store) -> Store:
        """The store by which another process works on the same instance."""
        return store

    def test_a_conversation_that_was_found_as_it_was_left_is_recalled(self, store: Store) -> None:
        write(store, endpoint("1t"))
        assert [arrive(store) for _ in range(5)] == [False, False, *[self.can_append] * 3]
        assert look(store, ClaimRequest(("1t",))).endpoints["1t"].receive_sequence == 5
        assert (store.depth(Q).messages, take(store)) == (5, [f"1t {number}" for number in range(5)])

    def test_both_sides_of_a_conversation_are_recalled(self, store: Store) -> None:
        write(store, endpoint("1i"), endpoint("1t"))
        assert [arrive(store) for _ in range(3)][-1] == self.can_append
        batch = store.recall(ONE, NOW) or look(store, ClaimRequest(conversations=ONE))
        assert set(batch.endpoints) == set(batch.groups) == {"1i", "1t"}
        assert batch.handles == {("1", True): "1i", ("1", False): "1t"}
        store.release(batch.token)

    @pytest.mark.parametrize("waits", [{"outgoing": 1}, {"held": 1}, {"due": NOW}])
    def test_a_conversation_in_which_something_waits_is_read(self, store: Store, waits: dict[str, Any]) -> None:
        write(store, endpoint("1t", **waits))
        assert not any(arrive(store) for _ in range(4))

    def test_a_conversation_that_others_change_too_is_not_recalled(self, store: Store) -> None:
        write(store, endpoint("1t"))
        for number in range(4):
            assert store.recall(ONE, NOW) is None
            arrive(store)
            changing(self.other(store), "1t", send_sequence=number + 1)

    @pytest.mark.parametrize(
        "meanwhile",
        [
            lambda store: changing(store, "1t", send_sequence=7),
            lambda store: write(store, endpoint("1i")),
            lambda store: write(store, queues={("db", "other"): False}),
            lambda store: write(store, requests={("db", "T"): "1t"}),
            lambda store: write(store, transmissions=[Transmission("1t")]),
        ],
        ids=["changed", "another side", "a queue is off", "a route is asked for", "an object to be read"],
    )
    def test_a_conversation_that_has_changed_meanwhile_is_read(
        self, store: Store, meanwhile: Callable[[Store], None]
    ) -> None:
        if not self.can_append:
            return
        batch = recalled(store)
        meanwhile(self.other(store))
        before = look(store, ClaimRequest(("1t",))).endpoints["1t"]
        with pytest.raises(OutdatedError):
            store.commit(arrival(batch))
        assert look(store, ClaimRequest(("1t",))).endpoints["1t"] == before
        assert store.depth(Q).messages == 2
        is_read = "1t" in look(store, ClaimRequest(("1t",))).transmissions
        assert [arrive(store) for _ in range(3)] == [False, False, not is_read]
        assert take(store) == [f"1t {number}" for number in range(5)]

    def test_nothing_arrives_in_a_conversation_that_has_gone_meanwhile(self, store: Store) -> None:
        if not self.can_append:
            return
        batch = recalled(store)
        removing(self.other(store), "1t")
        with pytest.raises(OutdatedError):
            store.commit(arrival(batch))
        assert look(store, ClaimRequest(("1t",))).endpoints == {}

    @pytest.mark.parametrize("claim", [ClaimRequest(("1t",)), ClaimRequest(conversations=ONE)])
    def test_a_recalled_conversation_that_another_holds_is_left_to_it(self, store: Store, claim: ClaimRequest) -> None:
        if not self.can_append:
            return
        batch, other = recalled(store), self.other(store)
        token = other.claim(claim, NOW).token
        with pytest.raises(OutdatedError):
            store.commit(arrival(batch))
        assert look(store, ClaimRequest(conversations=ONE)).busy == set(ONE)
        other.release(token)
        assert [arrive(store) for _ in range(3)] == [False, False, True]
        assert take(store) == [f"1t {number}" for number in range(5)]

    def test_what_was_given_back_meanwhile_has_changed_nothing(self, store: Store) -> None:
        if not self.can_append:
            return
        batch, other = recalled(store), self.other(store)
        look(other, ClaimRequest(("1t",)))
        store.commit(arrival(batch))
        assert take(store) == ["1t 0", "1t 1", "1t 2"]

    def test_a_recalled_conversation_only_receives(self, store: Store) -> None:
        """Whatever else changes is changed under a claim."""
        if not self.can_append:
            return
        changes = arrival(recalled(store))
        changes.outgoing = [OutboundMessage("1t", 0, "DEFAULT", b"", NOW)]
        with pytest.raises(OutdatedError):
            store.commit(changes)
        assert [arrive(store) for _ in range(2)] == [False, False]
        batch = store.recall(ONE, NOW)
        assert batch is not None
        with pytest.raises(OutdatedError):
            store.claim(ClaimRequest(bodies=(("1t", 0),), token=batch.token), NOW)
        store.release(batch.token)
        assert store.depth(Q).messages == 4

    def test_every_column_of_an_endpoint_comes_back(self, store: Store) -> None:
        made = endpoint(
            "1i",
            far_broker_instance="id",
            encryption=False,
            send_sequence=2**40,
            transmitted=3,
            acknowledged_sequence=1,
            sending_sequence=2,
            receive_sequence=4,
            held=3,
            held_bytes=2**33,
            take_up_at=NOW + 6,
            end_dialog_sequence=5,
            dialog_timer=NOW + 1,
            security_timestamp=NOW + 2,
            outgoing=6,
            transmission_status=9793,
            attempts=7,
            next_attempt=NOW + 3,
            ready_since=NOW + 4,
            integrity=3,
            key_id=b"12345678",
            fragment_bytes=1000,
            kept_route="R",
            kept_identifier="other",
            kept_database="there",
            due=NOW + 1,
            priority=9,
            state="DO",
        )
        write(store, made)
        assert look(store, ClaimRequest(("1i",))).endpoints["1i"] == made

    @pytest.mark.parametrize("ending", ["commit", "release"])
    @pytest.mark.parametrize(
        "first", [ClaimRequest(("1i",)), ClaimRequest(conversations=(("1", True),)), ClaimRequest(due=1)]
    )
    def test_what_is_claimed_is_busy_for_others_until_the_claim_ends(
        self, store: Store, first: ClaimRequest, ending: str
    ) -> None:
        write(store, endpoint("1i", due=NOW), endpoint("1t"))
        batch = store.claim(first, NOW)
        assert "1i" in batch.endpoints
        second = ClaimRequest(("1t",), conversations=(("1", False),), due=5)
        other = look(store, second)
        assert other.busy == {"1t", ("1", False)}
        assert (other.endpoints, other.due) == ({}, ())
        if ending == "commit":
            store.commit(ChangeSet(batch.token, NOW))
        else:
            store.release(batch.token)
        again = look(store, second)
        assert again.busy == frozenset()
        assert (set(again.endpoints), again.due) == ({"1i", "1t"}, ("1i",))

    def test_a_claim_can_be_added_to(self, store: Store) -> None:
        write(store, endpoint("1i"), endpoint("2i"))
        token = store.claim(ClaimRequest(("1i",)), NOW).token
        more = store.claim(ClaimRequest(("1i", "2i"), token=token), NOW)
        assert (more.token, set(more.endpoints), more.busy) == (token, {"1i", "2i"}, frozenset())
        assert look(store, ClaimRequest(("1i", "2i"))).busy == {"1i", "2i"}
        store.release(token)
        assert look(store, ClaimRequest(("1i", "2i"))).busy == frozenset()

    def test_a_claim_ends_once(self, store: Store) -> None:
        write(store, endpoint("1i"))
        token = store.claim(ClaimRequest(("1i",)), NOW).token
        store.release(token)
        store.release(token)
        with pytest.raises(Conflict):
            store.commit(ChangeSet(token, NOW, removed=["1i"]))
        assert "1i" in look(store, ClaimRequest(("1i",))).endpoints

    def test_a_changed_endpoint_replaces_the_old_one_and_no_batch_sees_it_change(self, store: Store) -> None:
        write(store, endpoint("1i"))
        batch = store.claim(ClaimRequest(("1i",)), NOW)
        changed = batch.endpoints["1i"].copied()
        changed.send_sequence = 8
        store.commit(ChangeSet(batch.token, NOW, endpoints={"1i": changed}))
        assert batch.endpoints["1i"].send_sequence == 0
        assert look(store, ClaimRequest(("1i",))).endpoints["1i"].send_sequence == 8

    # ------------------------------------------------------------ all or nothing

    def test_a_conversation_has_one_endpoint_of_each_role_or_nothing_is_written(self, store: Store) -> None:
        """Two transactions that create the endpoint of a target at the same time: one of them writes nothing at all."""
        write(store, endpoint("1t"), enqueued=[message("1t", 0)])
        batch = store.claim(ClaimRequest(("1t",), receive=ALL), NOW)
        twin = endpoint("other", "other")
        twin.conversation_id, twin.is_initiator = "1", False
        changes = ChangeSet(
            batch.token,
            NOW,
            received=list(batch.received),
            cleared_queues=["1t"],
            endpoints={"3i": endpoint("3i"), "other": twin},
            groups={"3i": ConversationGroupState("3i", "db", "S", "Q", 1), "1t": None},
            enqueued=[message("3i", 0)],
            outgoing=[OutboundMessage("3i", 0, "DEFAULT", b"", NOW)],
            queues={Q: False},
        )
        with pytest.raises(Conflict):
            store.commit(changes)
        seen = look(store, ClaimRequest(("1t", "3i", "other"), ("1t", "3i"), receive=ALL))
        assert (set(seen.endpoints), set(seen.groups), seen.off) == ({"1t"}, {"1t"}, frozenset())
        assert texts_of(seen.received) == ["1t 0"]
        assert store.depth(Q) == QueueDepth(1, NOW)

    def test_an_endpoint_may_take_the_place_of_one_that_goes_in_the_same_commit(self, store: Store) -> None:
        """A refused first message ends its conversation; another message of the same commit begins it again."""
        write(store, endpoint("1t", held=1), buffered=[BufferedFragment("1t", 1, 0, 1, "DEFAULT", b"", NOW)])
        token = store.claim(ClaimRequest(conversations=(("1", False),)), NOW).token
        again = endpoint("again", held=1)
        again.conversation_id, again.is_initiator = "1", False
        changes = ChangeSet(token, NOW, cleared_queues=["1t"], removed=["1t"], endpoints={"again": again})
        changes.groups = {"1t": None, "again": ConversationGroupState("again", "db", "S", "Q", 1)}
        changes.buffered = [BufferedFragment("again", 2, 0, 1, "DEFAULT", b"", NOW)]
        store.commit(changes)
        seen = look(store, ClaimRequest(conversations=(("1", False),)))
        assert (set(seen.endpoints), seen.handles) == ({"again"}, {("1", False): "again"})
        assert seen.buffered == {"again": (FragmentNumber(2, 0, 1),)}

    def test_what_was_released_did_not_happen(self, store: Store) -> None:
        write(store, endpoint("1t"), enqueued=[message("1t", 0)])
        look(store, ClaimRequest(("1t",), receive=ALL))
        assert take(store) == ["1t 0"]

    def test_a_group_changes_by_what_each_of_two_claims_changed(self, store: Store) -> None:
        """An application begins a dialog in a group while the engine removes one of it: neither undoes the other."""
        write(store, endpoint("1t", "g"), endpoint("2t", "g"))
        application = store.claim(ClaimRequest(groups=("g",)), NOW)
        engine = store.claim(ClaimRequest(conversations=(("1", False),)), NOW)
        store.commit(
            ChangeSet(engine.token, NOW, removed=["1t"], groups={"g": ConversationGroupState("g", "db", "S", "Q", 1)})
        )
        more = ChangeSet(application.token, NOW, endpoints={"3i": endpoint("3i", "g")})
        more.groups["g"] = ConversationGroupState("g", "db", "S", "Q", 3)
        store.commit(more)
        assert look(store, ClaimRequest(groups=("g",))).groups["g"].conversations == 2

    def test_a_group_stays_that_another_has_filled_while_it_was_emptied(self, store: Store) -> None:
        write(store, endpoint("1t", "g"))
        application = store.claim(ClaimRequest(groups=("g",)), NOW)
        engine = store.claim(ClaimRequest(conversations=(("1", False),)), NOW)
        more = ChangeSet(application.token, NOW, endpoints={"2i": endpoint("2i", "g")})
        more.groups["g"] = ConversationGroupState("g", "db", "S", "Q", 2)
        store.commit(more)
        store.commit(ChangeSet(engine.token, NOW, removed=["1t"], groups={"g": None}))
        assert look(store, ClaimRequest(groups=("g",))).groups["g"].conversations == 1

    def test_what_was_received_may_go_with_its_endpoint_before_it_is_taken(self, store: Store) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("2t", 0)])
        received = store.claim(ClaimRequest(receive=ALL), NOW)
        engine = store.claim(ClaimRequest(conversations=(("1", False),)), NOW)
        store.commit(ChangeSet(engine.token, NOW, cleared_queues=["1t"], removed=["1t"], groups={"1t": None}))
        store.commit(ChangeSet(received.token, NOW, received=list(received.received)))
        assert store.depth(Q) == QueueDepth(1, NOW)
        assert take(store) == ["2t 0"]

    def test_a_received_message_is_retained_until_its_conversation_ends(
        self, store: Store, retained: RetainedRows
    ) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("1t", 1), message("2t", 0)])
        assert retain(store, ReceiveRequest(Q, top=1, handle="1t")) == ["1t 0"]
        assert (store.depth(Q).messages, take(store, ReceiveRequest(Q, handle="1t"))) == (2, ["1t 1"])
        assert retain(store, ReceiveRequest(Q, handle="2t")) == ["2t 0"]
        assert [row[1:] for row in retained()] == [("1t 0", 0), ("2t 0", 0)]
        assert (take(store), store.depth(Q)) == ([], QueueDepth(0, None))
        token = store.claim(ClaimRequest(("1t",)), NOW).token
        store.commit(ChangeSet(token, NOW, cleared_queues=["1t"]))
        assert [row[1:] for row in retained()] == [("2t 0", 0)]

    def test_a_sent_message_is_retained_with_a_number_of_its_own(self, store: Store, retained: RetainedRows) -> None:
        copies = [message("1i", number, status=3) for number in range(2)]
        write(store, endpoint("1i"), retained_sent=copies[:1])
        write(store, enqueued=[message("1i", 0)], retained_sent=copies[1:])
        assert [row[1:] for row in retained()] == [("1i 0", 3), ("1i 1", 3)]
        (found,) = look(store, ClaimRequest(receive=ALL)).received
        numbers = [row[0] for row in retained()]
        assert len({*numbers, found.queuing_order}) == 3
        assert numbers == sorted(numbers)
        assert store.depth(Q) == QueueDepth(1, NOW)

    def test_what_left_with_its_conversation_is_not_retained(self, store: Store, retained: RetainedRows) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("2t", 0)])
        batches = [store.claim(ClaimRequest(receive=ReceiveRequest(Q, handle=handle)), NOW) for handle in ("1t", "2t")]
        engine = store.claim(ClaimRequest(conversations=(("1", False),)), NOW)
        store.commit(ChangeSet(engine.token, NOW, cleared_queues=["1t"], removed=["1t"], groups={"1t": None}))
        for batch in batches:
            store.commit(retaining(batch))
        assert [row[1:] for row in retained()] == [("2t 0", 0)]
        assert store.depth(Q) == QueueDepth(0, None)

    def test_an_endpoint_goes_with_its_group_and_its_messages(self, store: Store) -> None:
        row = OutboundMessage("1t", 0, "DEFAULT", b"", NOW)
        made = endpoint("1t", outgoing=1, next_attempt=NOW, due=NOW)
        write(store, made, endpoint("2t"), enqueued=[message("1t", 0), message("2t", 0)], outgoing=[row])
        token = store.claim(ClaimRequest(("1t",)), NOW).token
        gone = ChangeSet(token, NOW, cleared_queues=["1t"], dropped_from={"1t": 0}, removed=["1t"], groups={"1t": None})
        store.commit(gone)
        batch = look(store, ClaimRequest(("1t",), ("1t",), (("1", False),), due=5))
        assert (batch.endpoints, batch.groups, batch.due, batch.busy) == ({}, {}, (), frozenset())
        assert take(store) == ["2t 0"]
        write(store, endpoint("1t"))
        assert look(store, ClaimRequest(("1t",))).handles == {("1", False): "1t"}

    def test_many_go_at_once(self, store: Store) -> None:
        handles = [f"{number}t" for number in range(500)]
        write(store, *map(endpoint, handles), enqueued=[message(handle, 0) for handle in handles])
        token = store.claim(ClaimRequest(tuple(handles)), NOW).token
        store.commit(
            ChangeSet(token, NOW, cleared_queues=handles, removed=handles, groups=dict.fromkeys(handles), queues={})
        )
        assert look(store, ClaimRequest(tuple(handles))).endpoints == {}
        assert store.depth(Q) == QueueDepth(0, None)

    # ------------------------------------------------------------ queues

    def test_messages_are_numbered_in_the_order_of_their_coming(self, store: Store) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("2t", 0), message("1t", 1)])
        write(store, enqueued=[message("1t", 2)])
        orders = [m.queuing_order for m in look(store, ClaimRequest(receive=ReceiveRequest(Q, handle="1t"))).received]
        assert orders == sorted(set(orders))
        assert len(orders) == 3

    def test_every_column_of_a_message_comes_back(self, store: Store) -> None:
        made = message("1t", 7, priority=3, message_type_name="T", message_enqueue_time=NOW + 5)
        made.message_body = None
        write(store, endpoint("1t"), enqueued=[made])
        (found,) = look(store, ClaimRequest(receive=ALL)).received
        assert (found.database, found.queue, found.priority, found.status) == ("db", "Q", 3, 1)
        assert (found.conversation_group_id, found.conversation_handle, found.message_sequence_number) == (
            "1t",
            "1t",
            7,
        )
        assert (found.service_name, found.service_contract_name, found.message_type_name) == ("S", "DEFAULT", "T")
        assert (found.validation, found.message_body, found.message_enqueue_time) == ("N", None, NOW + 5)

    def test_a_conversation_is_received_in_its_order_errors_and_timers_first(self, store: Store) -> None:
        rows = [message("1t", 1), message("1t", 0), message("1t", 2)]
        rows += [message("1t", 0, message_type_name=name) for name in (ERROR_TYPE, TIMER_TYPE)]
        write(store, endpoint("1t"), enqueued=rows)
        received = look(store, ClaimRequest(receive=ALL)).received
        assert [m.message_type_name for m in received[:2]] == [TIMER_TYPE, ERROR_TYPE]
        assert texts_of(received[2:]) == ["1t 0", "1t 1", "1t 2"]

    def test_a_group_is_received_by_priority_then_conversation_by_conversation(self, store: Store) -> None:
        rows = [("1t", 0, 5), ("2t", 0, 5), ("3t", 0, 9), ("1t", 1, 5), ("2t", 1, 5), ("3t", 1, 9)]
        enqueued = [message(handle, number, "g", priority=level) for handle, number, level in rows]
        write(store, *(endpoint(handle, "g") for handle in ("1t", "2t", "3t")), enqueued=enqueued)
        assert take(store, ReceiveRequest(Q, top=5)) == ["3t 0", "3t 1", "1t 0", "1t 1", "2t 0"]
        assert take(store) == ["2t 1"]

    def test_the_group_with_the_highest_priority_comes_first_then_the_oldest(self, store: Store) -> None:
        levels = {"1t": 5, "2t": 7, "3t": 5, "4t": 7}
        enqueued = [message(handle, 0, priority=level) for handle, level in levels.items()]
        write(store, *map(endpoint, levels), enqueued=enqueued)
        assert [take(store) for _ in range(5)] == [["2t 0"], ["4t 0"], ["1t 0"], ["3t 0"], []]

    def test_two_receivers_never_have_the_same_group(self, store: Store) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("2t", 0)])
        batches = [store.claim(ClaimRequest(receive=ALL), NOW) for _ in range(3)]
        assert [batch.received_group for batch in batches] == ["1t", "2t", None]
        for batch in batches:
            store.release(batch.token)
        assert take(store) == ["1t 0"]

    @pytest.mark.parametrize("wanted", [ReceiveRequest(Q, handle="1t"), ReceiveRequest(Q, group="1t")])
    def test_what_is_asked_for_by_name_is_not_received_while_another_has_its_group(
        self, store: Store, wanted: ReceiveRequest
    ) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("2t", 0), message("1t", 0)])
        first = store.claim(ClaimRequest(receive=wanted), NOW)
        assert texts_of(first.received) == ["1t 0"]
        assert look(store, ClaimRequest(receive=wanted)).received == ()
        again = store.claim(ClaimRequest(receive=wanted, token=first.token), NOW)
        assert texts_of(again.received) == ["1t 0"]
        store.release(first.token)
        assert take(store, wanted) == ["1t 0"]
        assert take(store, wanted) == []

    def test_it_is_told_of_a_conversation_that_is_not_there(self, store: Store) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("2t", 0)])
        batches = {
            handle: look(store, ClaimRequest(receive=ReceiveRequest(Q, handle=handle)))
            for handle in ("1t", "2t", "nowhere")
        }
        assert [handle for handle, batch in batches.items() if batch.is_unknown] == ["nowhere"]
        assert not look(store, ClaimRequest(receive=ReceiveRequest(Q, group="nowhere"))).is_unknown
        assert not look(store, ClaimRequest(receive=ReceiveRequest(("d", "another queue"), handle="1t"))).is_unknown

    def test_top_nothing_locks_the_group_alone(self, store: Store) -> None:
        write(store, endpoint("1t"), enqueued=[message("1t", 0)])
        batch = store.claim(ClaimRequest(receive=ReceiveRequest(Q, top=0)), NOW)
        assert (batch.received, batch.received_group) == ((), "1t")
        assert look(store, ClaimRequest(("1t",))).busy == {"1t"}

    def test_what_was_shown_before_is_taken_by_name_whatever_has_come_since(self, store: Store) -> None:
        write(store, endpoint("1t"), enqueued=[message("1t", 0), message("1t", 1)])
        shown = look(store, ClaimRequest(receive=ALL)).received
        late = [message("1t", 2), message("1t", 0, message_type_name=TIMER_TYPE)]
        write(store, enqueued=late)
        only = ReceiveRequest(Q, group="1t", only=tuple(m.queuing_order for m in reversed(shown)))
        batch = store.claim(ClaimRequest(groups=("1t",), receive=only), NOW)
        assert texts_of(batch.received) == ["1t 1", "1t 0"]
        store.commit(ChangeSet(batch.token, NOW, received=list(batch.received)))
        again = look(store, ClaimRequest(groups=("1t",), receive=only))
        assert (again.received, again.busy) == ((), frozenset())
        assert len(take(store)) == 2

    def test_what_is_taken_by_name_is_of_a_group_that_is_locked(self, store: Store) -> None:
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("2t", 0)])
        first, second = (m.queuing_order for each in ("1t", "2t") for m in look_at(store, each))
        reader = store.claim(ClaimRequest(groups=("1t",)), NOW)
        busy = look(store, ClaimRequest(groups=("1t",), receive=ReceiveRequest(Q, group="1t", only=(first,))))
        assert (busy.received, busy.busy) == ((), {"1t"})
        store.release(reader.token)
        other = look(store, ClaimRequest(groups=("2t",), receive=ReceiveRequest(Q, group="2t", only=(first, second))))
        assert texts_of(other.received) == ["2t 0"]

    def test_messages_come_in_while_an_application_has_the_group(self, store: Store) -> None:
        """A group lock keeps other applications away, not the peer."""
        write(store, endpoint("1t"), enqueued=[message("1t", 0)])
        reader = store.claim(ClaimRequest(receive=ALL), NOW)
        arriving = store.claim(ClaimRequest(conversations=(("1", False),)), NOW)
        assert set(arriving.endpoints) == {"1t"}
        store.commit(ChangeSet(arriving.token, NOW, enqueued=[message("1t", 1)]))
        assert look(store, ClaimRequest(receive=ALL)).received == ()
        assert look(store, ClaimRequest(("1t",), ("1t",))).busy == {"1t"}
        store.commit(ChangeSet(reader.token, NOW, received=list(reader.received)))
        assert take(store) == ["1t 1"]

    def test_moved_messages_are_received_with_their_new_group(self, store: Store) -> None:
        rows = [message("1t", 0), message("2t", 0), message("1t", 1), message("3t", 0, "1t")]
        write(store, endpoint("1t"), endpoint("2t"), endpoint("3t", "1t"), enqueued=rows)
        for handle, left in (("1t", ConversationGroupState("1t", "db", "S", "Q", 1)), ("3t", None)):
            token = store.claim(ClaimRequest((handle,), ("2t",)), NOW).token
            moved = endpoint(handle, "2t")
            store.commit(ChangeSet(token, NOW, moved={handle: "2t"}, endpoints={handle: moved}, groups={"1t": left}))
        assert take(store, ReceiveRequest(Q, group="1t")) == []
        assert sorted(take(store, ReceiveRequest(Q, group="2t"))) == ["1t 0", "1t 1", "2t 0", "3t 0"]

    def test_a_conversation_without_messages_can_be_moved(self, store: Store) -> None:
        write(store, endpoint("1t"), endpoint("2t"))
        token = store.claim(ClaimRequest(("1t",), ("2t",)), NOW).token
        moved = endpoint("1t", "2t")
        store.commit(ChangeSet(token, NOW, moved={"1t": "2t"}, endpoints={"1t": moved}, groups={"1t": None}))
        assert look(store, ClaimRequest(("1t",))).endpoints["1t"].conversation_group_id == "2t"

    def test_depth_and_age_are_kept_with_every_commit(self, store: Store) -> None:
        times = [message("1t", n, message_enqueue_time=NOW + n) for n in range(3)]
        write(store, endpoint("1t"), endpoint("2t"), enqueued=[*times, message("2t", 0, message_enqueue_time=NOW + 9)])
        assert store.depth(Q) == QueueDepth(4, NOW)
        take(store, ReceiveRequest(Q, top=1))
        assert store.depth(Q) == QueueDepth(3, NOW + 1)
        token = store.claim(ClaimRequest(("1t",)), NOW).token
        store.commit(ChangeSet(token, NOW, cleared_queues=["1t"]))
        assert store.depth(Q) == QueueDepth(1, NOW + 9)
        take(store)
        assert store.depth(Q) == QueueDepth(0, None)
        assert store.depth(("db", "another")) == QueueDepth(0, None)

    def test_emptying_comes_before_what_is_put_in_by_the_same_commit(self, store: Store) -> None:
        write(store, endpoint("1t"), enqueued=[message("1t", 0)])
        token = store.claim(ClaimRequest(("1t",)), NOW).token
        store.commit(ChangeSet(token, NOW, cleared_queues=["1t"], enqueued=[message("1t", 9)]))
        assert take(store) == ["1t 9"]

    def test_queues_are_switched_off_and_on(self, store: Store) -> None:
        other = ("db", "another")
        write(store, queues={Q: False, other: False})
        assert look(store, ClaimRequest()).off == {Q, other}
        write(store, queues={Q: True})
        assert look(store, ClaimRequest()).off == {other}

    def test_rollbacks_of_queues_are_counted_until_they_are_forgotten(self, store: Store) -> None:
        other = ("db", "another")
        write(store, rollbacks={Q: 1, other: 4})
        before = look(store, ClaimRequest())
        assert before.rollbacks == {Q: 1, other: 4}
        write(store, rollbacks={Q: 2, other: 0})
        assert (look(store, ClaimRequest()).rollbacks, before.rollbacks) == ({Q: 2}, {Q: 1, other: 4})

    def test_a_queue_is_switched_off_and_its_rollbacks_forgotten_in_one_commit(self, store: Store) -> None:
        write(store, rollbacks={Q: 4})
        write(store, queues={Q: False}, rollbacks={Q: 0})
        batch = look(store, ClaimRequest())
        assert (batch.off, batch.rollbacks) == ({Q}, {})
        write(store, queues={Q: True})
        batch = look(store, ClaimRequest())
        assert (batch.off, batch.rollbacks) == (frozenset(), {})

    @pytest.mark.parametrize("seed", range(20))
    def test_any_traffic_is_received_in_the_order_of_a_list(self, store: Store, seed: int) -> None:
        """Against a list of messages, sorted anew for each receive."""
        draw = random.Random(seed)
        kept: list[QueuedMessage] = []
        handles = [f"{number}t" for number in range(8)]
        groups = {handle: f"g{draw.randrange(4)}" for handle in handles}
        levels = {handle: draw.randint(1, 3) for handle in handles}
        write(store, *(endpoint(handle, groups[handle]) for handle in handles))
        numbers = dict.fromkeys(handles, 0)
        for _ in range(60):
            if draw.random() < 0.6:
                rows = []
                for handle in draw.choices(handles, k=draw.randint(1, 5)):
                    rows.append(message(handle, numbers[handle], groups[handle], priority=levels[handle]))
                    numbers[handle] += 1
                write(store, enqueued=rows)
                kept += rows
            else:
                top = draw.choice([None, 1, 3])
                expected = first_group(kept)[:top]
                assert take(store, ReceiveRequest(Q, top=top)) == texts_of(expected)
                kept = [row for row in kept if row not in expected]

    # ------------------------------------------------------------ the transmission queue, and due conversations

    def test_what_waits_comes_with_its_conversation_in_order(self, store: Store) -> None:
        rows = [OutboundMessage("1i", n, "DEFAULT", b"%d" % n, NOW, n == 2, n == 1) for n in (2, 0, 1)]
        write(store, endpoint("1i", due=NOW, next_attempt=NOW), outgoing=rows)
        batch = look(store, ClaimRequest(due=1))
        assert (batch.due, batch.outgoing) == (("1i",), {"1i": tuple(sorted(rows, key=lambda row: row[1]))})

    def test_what_is_due_for_another_reason_comes_without_its_messages(self, store: Store) -> None:
        row = OutboundMessage("1i", 0, "DEFAULT", b"", NOW)
        write(store, endpoint("1i", due=NOW, dialog_timer=NOW, next_attempt=NOW + 1), outgoing=[row])
        assert look(store, ClaimRequest(due=1)).outgoing == {}

    def test_a_batch_holds_a_bounded_number_of_messages_of_a_conversation(self, store: Store) -> None:
        rows = [OutboundMessage("1i", n, "DEFAULT", b"", NOW) for n in range(MAX_OUTGOING_PER_CLAIM + 1)]
        write(store, endpoint("1i", due=NOW, next_attempt=NOW), outgoing=rows)
        assert len(look(store, ClaimRequest(due=1)).outgoing["1i"]) == MAX_OUTGOING_PER_CLAIM

    def test_what_has_arrived_leaves_and_what_is_unwanted_too(self, store: Store) -> None:
        rows = [OutboundMessage("1i", n, "DEFAULT", b"", NOW) for n in range(6)]
        write(store, endpoint("1i", due=NOW, next_attempt=NOW), outgoing=rows)
        token = store.claim(ClaimRequest(due=1), NOW).token
        numbers = {"acknowledged_sequence": 2, "sending_sequence": 2, "transmitted": 4, "send_sequence": 5}
        left = endpoint("1i", due=NOW, next_attempt=NOW, **numbers)
        changes = ChangeSet(token, NOW, acknowledged_below={"1i": 2}, dropped_from={"1i": 4}, endpoints={"1i": left})
        changes.outgoing.append(OutboundMessage("1i", 4, "Error", b"", NOW))
        store.commit(changes)
        assert [row[1] for row in look(store, ClaimRequest(due=1)).outgoing["1i"]] == [2, 3, 4]
        token = store.claim(ClaimRequest(due=1), NOW).token
        store.commit(ChangeSet(token, NOW, acknowledged_below={"1i": 5}))
        assert look(store, ClaimRequest(due=1)).outgoing == {"1i": ()}

    def test_what_was_never_sent_comes_without_what_waits_for_an_acknowledgement(self, store: Store) -> None:
        rows = [OutboundMessage("1i", n, "DEFAULT", b"", NOW) for n in range(3, 9)]
        waiting = {"acknowledged_sequence": 3, "sending_sequence": 6, "transmitted": 6, "send_sequence": 9}
        write(store, endpoint("1i", due=NOW, ready_since=NOW, next_attempt=NOW + 4, **waiting), outgoing=rows)
        assert [row[1] for row in look(store, ClaimRequest(due=1)).outgoing["1i"]] == [6, 7, 8]
        assert [row[1] for row in look(store, ClaimRequest(due=1), NOW + 4).outgoing["1i"]] == list(range(3, 9))

    def test_what_is_due_comes_with_the_conversations_that_the_engine_asks_for(self, store: Store) -> None:
        row = OutboundMessage("1t", 0, "DEFAULT", b"", NOW)
        write(store, endpoint("1i", due=NOW + 1), endpoint("1t", due=NOW, ready_since=NOW), outgoing=[row])
        batch = look(store, ClaimRequest(conversations=(("1", True), ("1", False)), due=5))
        assert (batch.due, batch.outgoing) == (("1t",), {"1t": (row,)})
        assert look(store, ClaimRequest(handles=("1t",))).due == ()

    def test_the_next_moment_at_which_something_is_due(self, store: Store) -> None:
        assert store.next_due() is None
        write(store, endpoint("1i", due=NOW + 5), endpoint("2i", due=NOW + 3), endpoint("3i"))
        assert store.next_due() == NOW + 3
        token = store.claim(ClaimRequest(("2i",)), NOW).token
        store.commit(ChangeSet(token, NOW, removed=["2i"], groups={"2i": None}))
        assert store.next_due() == NOW + 5

    # ------------------------------------------------------------ the reassembly buffer, and the work table

    def test_fragments_are_held_until_their_message_is_put_together(self, store: Store) -> None:
        rows = [held("1t", 2, 1), held("1t", 1, 0), held("1t", 2, 0, is_end_of_dialog=True), held("2t", 2, 0)]
        write(store, endpoint("1t", held=3), endpoint("2t", held=1), buffered=rows)
        batch = store.claim(ClaimRequest(conversations=(("1", False),)), NOW)
        assert batch.buffered == {"1t": (FragmentNumber(1, 0, 3), FragmentNumber(2, 0, 3), FragmentNumber(2, 1, 3))}
        assert batch.bodies == {}
        more = store.claim(ClaimRequest(bodies=(("1t", 2), ("1t", 7)), token=batch.token), NOW)
        assert more.bodies == {("1t", 2): (rows[2], rows[0]), ("1t", 7): ()}
        store.commit(ChangeSet(batch.token, NOW, unbuffered=[("1t", 2)]))
        assert look(store, ClaimRequest(("1t", "2t"))).buffered == {
            "1t": (FragmentNumber(1, 0, 3),),
            "2t": (FragmentNumber(2, 0, 3),),
        }
        assert store.depth(Q) == QueueDepth(0, None)
        assert take(store) == []

    @pytest.mark.parametrize("how", [{"cleared_queues": ["1t"]}, {"unbuffered": [("1t", 1)]}])
    def test_what_is_held_goes_with_what_stands_in_the_queue(self, store: Store, how: dict[str, Any]) -> None:
        write(store, endpoint("1t", held=1), buffered=[held("1t", 1, 0)])
        token = store.claim(ClaimRequest(("1t",)), NOW).token
        store.commit(ChangeSet(token, NOW, **how, endpoints={"1t": endpoint("1t")}))
        assert look(store, ClaimRequest(("1t",))).buffered == {}

    def test_what_is_held_can_be_made_due(self, store: Store) -> None:
        write(store, endpoint("1t", held=1), buffered=[held("1t", 0, 0)])
        write(store, retry_all=True)
        batch = look(store, ClaimRequest(due=1))
        assert (batch.due, batch.endpoints["1t"].take_up_at) == (("1t",), NOW)

    def test_a_large_body_comes_back(self, store: Store) -> None:
        body = random.Random(1).randbytes(1 << 20)
        write(store, endpoint("1t", held=1), buffered=[held("1t", 0, 0)._replace(body=body)])
        batch = store.claim(ClaimRequest(("1t",)), NOW)
        more = store.claim(ClaimRequest(bodies=(("1t", 0),), token=batch.token), NOW)
        assert more.bodies["1t", 0][0].body == body
        store.release(batch.token)

    def test_transmission_objects_stand_in_the_work_table_as_long_as_their_endpoints(self, store: Store) -> None:
        one = Transmission("1i", RangeSet([(0, 4), (7, 9)]), RangeSet([(2, 2)]), {3: LargeMessage(5, 8)})
        write(store, endpoint("1i"), transmissions=[one, Transmission("gone")])
        assert look(store, ClaimRequest(("1i",))).transmissions == {"1i": one}
        other = Transmission("1i", RangeSet([(0, 99)]))
        write(store, transmissions=[other])
        assert look(store, ClaimRequest(("1i",))).transmissions == {"1i": other}
        token = store.claim(ClaimRequest(("1i",)), NOW).token
        store.commit(ChangeSet(token, NOW, removed=["1i"], groups={"1i": None}))
        write(store, endpoint("1i"))
        assert look(store, ClaimRequest(("1i",))).transmissions == {}

    def test_a_crash_ends_all_claims(self, store: Store) -> None:
        write(store, endpoint("1i"))
        store.claim(ClaimRequest(("1i",)), NOW)
        store.forget_claims()
        assert look(store, ClaimRequest(("1i",))).busy == frozenset()

    def test_due_is_what_its_moment_says_the_earliest_first_and_no_more_than_asked(self, store: Store) -> None:
        moments = {"1i": NOW + 3, "2i": NOW + 1, "3i": NOW + 2, "4i": NOW + 9, "5i": None}
        write(store, *(endpoint(handle, due=moment) for handle, moment in moments.items()))
        assert look(store, ClaimRequest(due=9)).due == ()
        assert look(store, ClaimRequest(due=9), NOW + 3).due == ("2i", "3i", "1i")
        assert look(store, ClaimRequest(due=2), NOW + 3).due == ("2i", "3i")
        assert look(store, ClaimRequest(due=0), NOW + 3).due == ()

    def test_due_follows_every_change_of_the_moment(self, store: Store) -> None:
        write(store, endpoint("1i", due=NOW))
        for moment in (NOW + 5, NOW + 1, NOW + 1, None, NOW + 2):
            token = store.claim(ClaimRequest(("1i",)), NOW).token
            store.commit(ChangeSet(token, NOW, endpoints={"1i": endpoint("1i", due=moment)}))
            for now in (NOW, NOW + 1, NOW + 2, NOW + 5):
                assert look(store, ClaimRequest(due=3), now).due == (("1i",) if moment and moment <= now else ())

    def test_whatever_waits_can_be_made_due_but_for_what_others_hold(self, store: Store) -> None:
        rows = [OutboundMessage(handle, 0, "DEFAULT", b"", NOW) for handle in ("1i", "2i")]
        waiting = {"due": NOW + 9, "next_attempt": NOW + 9, "outgoing": 1}
        write(store, endpoint("1i", **waiting), endpoint("2i", **waiting), endpoint("3i"), outgoing=rows)
        held = store.claim(ClaimRequest(("2i",)), NOW)
        write(store, retry_all=True)
        store.release(held.token)
        batch = look(store, ClaimRequest(due=9))
        assert (batch.due, batch.outgoing) == (("1i",), {"1i": (rows[0],)})
        assert batch.endpoints["1i"].next_attempt == NOW
        assert held.endpoints["2i"].next_attempt == NOW + 9

    def test_what_was_due_before_stays_so_when_all_is_made_due(self, store: Store) -> None:
        """After a time without a claim: an attempt and then a timer have passed (found by seed 9101471)."""
        passed = {"due": NOW - 9, "next_attempt": NOW - 9, "dialog_timer": NOW - 5, "outgoing": 1}
        write(store, endpoint("1i", **passed), outgoing=[OutboundMessage("1i", 0, "DEFAULT", b"", NOW)])
        write(store, retry_all=True)
        due = store.next_due()
        assert due is not None
        assert due <= NOW
        assert look(store, ClaimRequest(due=9)).due == ("1i",)

    def test_what_waits_for_one_service_can_be_made_due_alone(self, store: Store) -> None:
        waiting = {"due": NOW + 9, "next_attempt": NOW + 9, "outgoing": 1}
        rows = [OutboundMessage(handle, 0, "DEFAULT", b"", NOW) for handle in ("1i", "2i", "3i")]
        others = (endpoint("2i", far_service="U", **waiting), endpoint("3i", **waiting))
        others[1].database = "other"
        write(store, endpoint("1i", **waiting), *others, outgoing=rows)
        write(store, retry_services={("db", "T")})
        assert look(store, ClaimRequest(due=9)).due == ("1i",)

    def test_route_requests_are_known_until_they_end(self, store: Store) -> None:
        write(store, requests={("db", "S"): "1i", ("db", "T"): "2i"})
        assert look(store, ClaimRequest()).requests == {("db", "S"): "1i", ("db", "T"): "2i"}
        write(store, requests={("db", "S"): None, ("db", "U"): None})
        assert look(store, ClaimRequest()).requests == {("db", "T"): "2i"}

    def test_what_a_batch_knows_stays_as_it_was(self, store: Store) -> None:
        key = MirroredRouteKey("tcp://a:1", "tcp://b:1", "S", None)
        batch = look(store, ClaimRequest())
        write(store, requests={("db", "S"): "1i"}, mirrored={key: MirroredRoute(key)})
        assert (dict(batch.requests), dict(batch.mirrored)) == ({}, {})

    def test_two_cannot_ask_for_the_same_route(self, store: Store) -> None:
        write(store, requests={("db", "S"): "1i"})
        with pytest.raises(Conflict):
            write(store, requests={("db", "S"): "2i"})
        assert look(store, ClaimRequest()).requests == {("db", "S"): "1i"}
        write(store, requests={("db", "S"): None})
        write(store, requests={("db", "S"): "2i"})
        assert look(store, ClaimRequest()).requests == {("db", "S"): "2i"}

    def test_what_is_known_of_mirrored_routes_is_kept(self, store: Store) -> None:
        key = MirroredRouteKey("tcp://a:1", "tcp://b:1", "S", None)
        row = MirroredRoute(
            key, SENDING, 1, ("claims", ""), ("", "q"), 3, NOW, NOW - 1, MirroredRouteSubclass.OPERATIONAL
        )
        other = MirroredRoute(key._replace(identifier="6f3f0d5e-0000-4000-8000-000000000001"))
        write(store, mirrored={key: MirroredRoute(key), other.key: other})
        write(store, mirrored={key: row})
        assert look(store, ClaimRequest()).mirrored == {key: row, other.key: other}
        write(store, mirrored={other.key: None})
        assert look(store, ClaimRequest()).mirrored == {key: row}

    def test_both_sides_of_a_conversation_may_be_due(self, store: Store) -> None:
        write(store, endpoint("1i", due=NOW), endpoint("1t", due=NOW))
        assert sorted(look(store, ClaimRequest(due=5)).due) == ["1i", "1t"]


def first_group(kept: list[QueuedMessage]) -> list[QueuedMessage]:
    """What RECEIVE gives of these, which stand in the order of their coming."""
    if not kept:
        return []
    best = max(row.priority for row in kept)
    group = next(row for row in kept if row.priority == best).conversation_group_id
    mine = [row for row in kept if row.conversation_group_id == group]
    first = [row.conversation_handle for row in mine]
    return sorted(mine, key=lambda m: (-m.priority, first.index(m.conversation_handle), m.message_sequence_number))
