"""The lists between endpoint and workers: bounded, in order, by instance and shard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis, ResponseError

from brokerui.messaging.exchange.frame_bundles import BUNDLE, bundled, shard_of, unbundled
from brokerui.messaging.exchange.lists import (
    BYTES,
    MOST_NOTICES,
    WANTED,
    Arrived,
    Bell,
    FrameList,
    discard_outgoing,
    leave_shards,
    put,
    put_arrived,
    put_events,
    put_notices,
    put_outgoing,
    run,
    take_arrived,
    take_events,
    take_notices,
    take_outgoing,
    take_shards,
    waiting,
)
from brokerui.messaging.exchange.messages import EndpointMessage, Failed, Online
from routing.adjacent.roles import RoleQuestion, write_role
from routing.common.event_subclasses import ConnectionSubclass, LoginSubclass
from routing.common.network_events import AuditBrokerLogin, BrokerConnection
from tests.brokerui.messaging.endpoint.scene import fragment

THERE = "tcp://b:4022"
QUESTION = write_role(RoleQuestion("5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "//x/Target"))


def arrived(client: Redis, instance: str, limit: int = 1 << 30) -> list[bytes]:
    return [raw for shard in range(4) for raw in run(client, take_arrived(instance, shard, limit))]


# -- Bundles -----------------------------------------------------------------------------------------------


def test_frames_are_bundled_and_found_again_in_their_order() -> None:
    frames = [fragment(number, size) for number, size in enumerate([10, BUNDLE, 10, BUNDLE // 2, BUNDLE // 2, 1])]
    frames.insert(3, QUESTION)
    bundles = bundled(frames)
    assert unbundled(bundles) == frames
    assert all(len(bundle) <= BUNDLE or len(unbundled([bundle])) == 1 for bundle in bundles)
    assert len(bundles) < len(frames)
    assert bundled([]) == []


def test_frames_that_fill_a_bundle_are_one_and_with_another_byte_two() -> None:
    half = b"x" * (BUNDLE // 2)
    assert bundled([half, half]) == [half + half]
    assert bundled([half, half + b"x"]) == [half, half + b"x"]


def test_a_conversation_stays_in_its_shard_and_many_use_all() -> None:
    assert len({shard_of(fragment(number), 8) for number in range(20)}) == 1
    assert {shard_of(fragment(0, conversation=number), 8) for number in range(1, 200)} == set(range(8))
    assert shard_of(QUESTION, 8) == 0


# -- Frames ------------------------------------------------------------------------------------------------


def test_what_arrived_is_taken_once_by_instance_and_shard_in_order(client: Redis) -> None:
    frames = [fragment(number, conversation=1 + number % 7) for number in range(50)]
    assert run(client, put_arrived("A", frames)) == []
    assert run(client, put_arrived("A B", [QUESTION])) == []
    assert {place.instance for place in waiting(client)} == {"A", "A B"}
    found = arrived(client, "A")
    assert sorted(found) == sorted(frames)
    for conversation in range(1, 8):
        own = [raw for raw in frames if raw[12:28] == fragment(0, conversation=conversation)[12:28]]
        assert [raw for raw in found if raw in own] == own
    assert arrived(client, "A") == []
    assert arrived(client, "A B") == [QUESTION]
    assert waiting(client) == {}
    assert client.hgetall(BYTES) == {b"all": b"0"}


def test_no_more_is_taken_than_asked_for_but_for_the_last_bundle(client: Redis) -> None:
    frames = [fragment(number, BUNDLE) for number in range(5)]
    run(client, put_outgoing("A", [(THERE, raw) for raw in frames]))
    assert run(client, take_outgoing("A", THERE, 1)) == frames[:1]
    assert run(client, take_outgoing("A", THERE, BUNDLE + 1000)) == frames[1:3]
    assert waiting(client) == {FrameList("A", THERE): sum(map(len, frames[3:]))}


def test_shards_are_one_workers_until_it_leaves_them(client: Redis) -> None:
    def take(worker: str, *shards: int) -> list[bytes]:
        return run(client, take_shards("A", shards, 1 << 20, worker)).frames

    def put_into(*shards: int) -> None:
        run(client, put("", [(FrameList("A", shard), fragment(shard)) for shard in shards]))

    put_into(0, 1, 2)
    assert take("one", 0, 1) == [fragment(0), fragment(1)]
    put_into(0, 1, 3)
    assert take("two", 0, 1, 2, 3) == [fragment(2), fragment(3)], "the others are of worker one"
    assert run(client, leave_shards("A", (0, 2), "one")) == 1
    assert take("two", 0, 1, 2, 3) == [fragment(0)], "which has left this one"
    put_into(2)
    assert take("one", 1, 2) == [fragment(1)]
    assert run(client, leave_shards("A", (2,), "two")) == 1
    assert take("one", 1, 2) == [fragment(2)]


def test_a_worker_hears_whether_something_is_left_in_its_shards(client: Redis) -> None:
    def take(worker: str, *shards: int) -> Arrived:
        return run(client, take_shards("A", shards, 1, worker))

    run(client, put("", [(FrameList("A", shard), fragment(shard)) for shard in (0, 0, 1)]))
    assert take("one", 0, 1, 2) == ([fragment(0), fragment(1)], [0, 1], True)
    assert take("two", 0, 1, 2) == ([], [], False), "what is left is for worker one"
    assert take("one", 0, 1, 2) == ([fragment(0)], [0], False)
    assert take("one", 0, 1, 2) == ([], [], False)


def test_bytes_that_were_counted_of_a_list_that_is_gone_count_no_more(client: Redis) -> None:
    run(client, put("", [(FrameList("A", 0), fragment(0))]))
    client.delete(FrameList("A", 0).key)
    assert run(client, take_shards("A", (0, 1), 1, "one")) == ([], [], False)
    assert client.hgetall(BYTES) == {b"all": b"0"}


def test_only_a_worker_at_work_is_told_together_with_the_frames(client: Redis) -> None:
    to, bell = FrameList("A", 0), Bell("brokerui:pending:some.task", "brokerui:requested:some.task", 2_000)

    def has_to_wake() -> bool:
        """After frames were put into the empty list and taken again."""
        [answer] = run(client, put("P", [(to, fragment(0))], bell))
        [later] = run(client, put("P", [(to, fragment(1))], bell))
        assert (answer.taken, later) == (True, (True, False))
        assert run(client, take_arrived("A", 0, 1 << 20)) == [fragment(0), fragment(1)]
        return answer.first

    assert has_to_wake()
    client.set(bell.state_key, "woken", px=1_000)
    assert has_to_wake()
    client.set(bell.state_key, "working")
    assert has_to_wake(), "a state without an end is none that a worker has set"
    assert client.llen(bell.key) == 0
    client.set(bell.state_key, "working", px=60_000)
    assert not has_to_wake()
    assert not has_to_wake()
    assert (client.llen(bell.key), 0 < client.pttl(bell.key) <= 2_000) == (1, True)


def foreign_list(client: Redis, to: FrameList) -> None:
    client.set(to.key, b"of somebody else")


def foreign_peers(client: Redis, to: FrameList) -> None:
    run(client, put("", [(to, fragment(1))]))
    client.set(to.keys[1], b"of somebody else")


def foreign_bytes(client: Redis, to: FrameList) -> None:
    run(client, put("P", [(to, fragment(1))]))
    client.hset(BYTES, to.key, b"of somebody else")


@pytest.mark.parametrize("foreign", [foreign_list, foreign_peers, foreign_bytes])
def test_foreign_data_in_one_shard_costs_no_frames_of_others(
    client: Redis, foreign: Callable[[Redis, FrameList], None]
) -> None:
    run(client, put("P", [(FrameList("A", 0), fragment(0))]))
    foreign(client, FrameList("A", 1))
    with pytest.raises(ResponseError):
        run(client, take_shards("A", (0, 1), 1 << 20, "one"))
    assert run(client, take_shards("A", (0,), 1 << 20, "two")).frames == [fragment(0)]


def test_a_list_refuses_what_is_too_much_and_others_do_not(client: Redis, settings: Any) -> None:
    settings.ENDPOINT_LIST_BYTES = 2 * BUNDLE
    frames = [fragment(number, BUNDLE - 200) for number in range(4)]
    assert run(client, put_outgoing("A", [(THERE, raw) for raw in frames])) == frames[2:]
    assert run(client, put_outgoing("A", [("tcp://c:1", raw) for raw in frames])) == frames[2:]
    run(client, take_outgoing("A", THERE, 1))
    assert run(client, put_outgoing("A", [(THERE, frames[2])])) == []


def test_a_frame_larger_than_a_list_may_be_goes_alone(client: Redis, settings: Any) -> None:
    settings.ENDPOINT_LIST_BYTES = 10
    frames = [fragment(0), fragment(1)]
    assert run(client, put_outgoing("A", [(THERE, frames[0])])) == []
    assert run(client, put_outgoing("A", [(THERE, frames[1])])) == frames[1:]


def test_all_lists_together_are_bounded(client: Redis, settings: Any) -> None:
    settings.ENDPOINT_LISTS_BYTES = 10 * len(fragment(0))
    frames = [(f"tcp://b:{number}", fragment(number)) for number in range(1, 30)]
    assert len(run(client, put_outgoing("A", frames))) == 29 - 10
    assert sum(waiting(client).values()) == settings.ENDPOINT_LISTS_BYTES
    assert run(client, put_arrived("A", [fragment(0)])) == [fragment(0)]
    run(client, discard_outgoing("A", "tcp://b:1"))
    assert run(client, put_arrived("A", [fragment(0)])) == []


def taken(client: Redis, peer: str, to: FrameList, frames: list[bytes]) -> list[bool]:
    return [one.taken for one in run(client, put(peer, [(to, raw) for raw in frames]))]


def test_a_peer_has_of_a_list_what_it_may(client: Redis, settings: Any) -> None:
    raw, to = fragment(0), FrameList("A", 0)
    settings.ENDPOINT_LIST_BYTES, settings.ENDPOINT_LIST_BYTES_OF_PEER = 10 * len(raw), 3 * len(raw)
    assert taken(client, "flood", to, [raw] * 5) == [True] * 3 + [False] * 2
    assert taken(client, "other", to, [raw] * 2) == [True] * 2
    assert taken(client, "flood", FrameList("A", 1), [raw]) == [True], "each list for itself"
    assert run(client, take_arrived("A", 0, 1)) == [raw]
    assert taken(client, "flood", to, [raw] * 2) == [True, False]
    assert len(run(client, take_arrived("A", 0, 1 << 20))) == 5
    assert taken(client, "flood", to, [raw] * 5) == [True] * 3 + [False] * 2, "nothing of it is counted any more"


def test_many_peers_leave_room_for_one_more(client: Redis, settings: Any) -> None:
    raw, to = fragment(0), FrameList("A", 0)
    settings.ENDPOINT_LIST_BYTES = settings.ENDPOINT_LIST_BYTES_OF_PEER = 12 * len(raw)
    assert sum(taken(client, "one", to, [raw] * 12)) == 6, "as much as is left free"
    assert sum(taken(client, "two", to, [raw] * 12)) == 3
    assert sum(taken(client, "three", to, [raw] * 12)) == 2
    assert sum(taken(client, "four", to, [raw] * 12)) == 1, "its first one is taken where there is any room"
    assert taken(client, "five", to, [raw]) == [False]


def test_a_list_that_vanished_holds_nothing_of_any_peer(client: Redis, settings: Any) -> None:
    raw, to = fragment(0), FrameList("A", 0)
    settings.ENDPOINT_LIST_BYTES_OF_PEER = len(raw)
    assert taken(client, "P", to, [raw] * 2) == [True, False]
    client.delete(to.key)
    assert run(client, take_arrived("A", 0, 1)) == []
    assert taken(client, "P", to, [raw]) == [True]


def test_the_endpoint_is_told_of_a_list_once_until_it_is_empty(client: Redis) -> None:
    for _ in range(3):
        run(client, put_outgoing("A", [(THERE, fragment(0))]))
    assert client.lrange(WANTED, 0, -1) == [FrameList("A", THERE).key.encode()]
    run(client, take_outgoing("A", THERE, 1 << 30))
    run(client, put_outgoing("A", [(THERE, fragment(0))]))
    assert client.llen(WANTED) == 2
    run(client, put_arrived("A", [fragment(0)]))
    assert client.llen(WANTED) == 2


def test_what_is_discarded_is_counted_no_more(client: Redis) -> None:
    run(client, put_outgoing("A", [(THERE, fragment(0))]))
    assert run(client, discard_outgoing("A", THERE)) == len(fragment(0))
    assert run(client, discard_outgoing("A", THERE)) == 0
    assert run(client, take_outgoing("A", THERE, 1)) == []
    assert client.hgetall(BYTES) == {b"all": b"0"}


def test_a_list_that_somebody_has_deleted_holds_nothing(client: Redis) -> None:
    run(client, put_outgoing("A", [(THERE, fragment(0))]))
    client.delete(FrameList("A", THERE).key)
    assert run(client, take_outgoing("A", THERE, 1)) == []
    assert client.hgetall(BYTES) == {b"all": b"0"}


def test_commands_work_whatever_redis_has_forgotten(client: Redis) -> None:
    client.script_flush()
    assert run(client, put_arrived("A", [fragment(0)])) == []
    client.script_flush()
    assert arrived(client, "A") == [fragment(0)]


# -- Notices of the endpoint -------------------------------------------------------------------------------


def test_notices_are_heard_once_in_order_and_the_oldest_are_lost(client: Redis) -> None:
    notices = [Online("A", THERE), Failed("A", "tcp://c:1", 9754, "111(Connection refused)")]
    assert run(client, put_notices(notices)) == 2
    assert run(client, take_notices(1)) == notices[:1]
    assert run(client, take_notices(9)) == notices[1:]
    assert run(client, take_notices(9)) == []
    many = [Online("A", f"tcp://b:{port}") for port in range(1, MOST_NOTICES + 3)]
    assert run(client, put_notices(many)) == MOST_NOTICES
    assert run(client, take_notices(1)) == many[2:3]


@pytest.mark.parametrize(
    "event",
    [
        BrokerConnection(ConnectionSubclass.CLOSED, "c", THERE, "idle", 3),
        AuditBrokerLogin(LoginSubclass.AUTHORIZATION_FAILURE, "c", THERE, "B", "b.example", "no"),
    ],
)
def test_events_come_back_as_they_were(client: Redis, event: BrokerConnection | AuditBrokerLogin) -> None:
    run(client, put_events([EndpointMessage("A", 5, event)]))
    assert run(client, take_events(5)) == [EndpointMessage("A", 5, event)]
