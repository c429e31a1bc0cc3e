"""The lists into which a worker looks for arrived frames: all that hold something, however many instances there are."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.messaging.exchange.frame_bundles import bundled
from brokerui.messaging.exchange.lists import WORKERS, FrameList, leave_shards, put, run
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.workers import arrived_lists
from brokerui.messaging.workers.arrived_lists import ArrivedLists

BELL = f"{WORKERS}bell"
FRAME = b"\0\0\0\1x"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lists")]


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hosted instances."""
    hosted = ["A"]
    monkeypatch.setattr(arrived_lists, "hosted_names", lambda: tuple(hosted))
    return hosted


def arrive(instance: str, shard: int) -> None:
    bundle = bundled([FRAME])[0]
    assert run(redis(), put("P", [(FrameList(instance, shard), bundle)]))[0].taken


def looked_into(lists: ArrivedLists) -> dict[str, list[int]]:
    return {name: list(shards) for name, shards in lists.to_look_into()}


def test_of_few_lists_each_is_tried_without_asking(settings: Any) -> None:
    lists = ArrivedLists()
    assert looked_into(lists) == {}
    assert looked_into(lists) == {"A": [0, 1, 2, 3]}
    arrive("A", 2)
    assert looked_into(lists) == {"A": [0, 1, 2, 3]}


def test_of_many_lists_those_are_tried_that_hold_something(names: list[str]) -> None:
    names[:] = ["A", "B", "C"]
    lists = ArrivedLists()
    arrive("B", 2)
    for _ in range(2):
        assert looked_into(lists) == {"B": [2]}


def test_a_list_of_a_shard_that_is_no_more_is_found_now_and_then(settings: Any) -> None:
    settings.ENDPOINT_SHARDS = 2
    lists = ArrivedLists()
    assert looked_into(lists) == {}
    arrive("A", 3)
    assert looked_into(lists) == {"A": [0, 1]}
    lists.look_again()
    assert looked_into(lists) == {"A": [3]}


def test_an_instance_that_is_hosted_meanwhile_is_found_after_a_look(names: list[str]) -> None:
    lists = ArrivedLists()
    arrive("B", 0)
    assert looked_into(lists) == {}
    names.append("B")
    lists.look_again()
    assert looked_into(lists) == {"B": [0]}


def listening() -> ArrivedLists:
    """Lists that have been looked into once, so that nothing has to be asked first."""
    lists = ArrivedLists()
    assert looked_into(lists) == {}
    return lists


def test_frames_come_with_the_bell_on_one_way() -> None:
    lists = listening()
    lists.listen(BELL, 0.001)  # the first time Redis does not know the script
    lists.to_look_into()
    run(redis(), arrived_lists.taking("A", range(4), "known"))
    arrive("A", 2)
    redis().rpush(BELL, 1)
    before = redis().info("commandstats")["cmdstat_evalsha"]["calls"]
    assert lists.listen(BELL, 5.0)
    assert redis().info("commandstats")["cmdstat_evalsha"]["calls"] == before + 1
    assert lists.has_taken
    ahead = lists.taken_ahead("A")
    assert ahead is not None
    assert (ahead.arrived.frames, ahead.arrived.shards, ahead.arrived.is_more) == ([FRAME], [2], False)
    assert run(redis(), leave_shards("A", range(4), ahead.worker)) == 1, "the shard is the worker's meanwhile"
    assert not lists.has_taken
    assert lists.taken_ahead("A") is None


def test_without_a_bell_the_wait_ends_and_takes_what_is_there() -> None:
    lists = listening()
    run(redis(), arrived_lists.taking("A", range(4), "known"))
    assert not lists.listen(BELL, 0.001)
    assert not lists.has_taken
    arrive("A", 1)
    assert lists.listen(BELL, 0.001)
    assert lists.has_taken


def test_a_bell_is_heard_where_redis_does_not_know_the_script() -> None:
    lists = listening()
    redis().script_flush()
    arrive("A", 0)
    redis().rpush(BELL, 1)
    assert lists.listen(BELL, 5.0)
    assert not lists.has_taken
    assert run(redis(), arrived_lists.taking("A", range(4), "later")).frames == [FRAME]


def test_foreign_data_in_the_place_of_the_bell_is_put_aside() -> None:
    lists = listening()
    redis().set(BELL, "no list")
    assert not lists.listen(BELL, 0.001)
    redis().rpush(BELL, 1)
    assert lists.listen(BELL, 5.0)


def test_what_came_with_the_bell_is_looked_into_after_a_look_around(names: list[str]) -> None:
    lists = listening()
    run(redis(), arrived_lists.taking("A", range(4), "known"))
    arrive("A", 3)
    assert lists.listen(BELL, 0.001)
    lists.look_again()
    assert looked_into(lists) == {"A": [0, 1, 2, 3]}, "its list is empty, and nothing else tells of it"
    names[:] = ["B"]
    lists.look_again()
    assert not lists.has_taken, "nobody could process it"


def test_of_many_lists_none_is_taken_from_with_the_bell(names: list[str]) -> None:
    names[:] = ["A", "B", "C"]
    lists = listening()
    arrive("B", 2)
    redis().rpush(BELL, 1)
    assert lists.listen(BELL, 5.0)
    assert not lists.has_taken
