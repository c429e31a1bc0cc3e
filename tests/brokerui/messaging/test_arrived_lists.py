"""The lists into which a worker looks for arrived frames: all that hold something, however many instances there are."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.messaging.exchange.frame_bundles import bundled
from brokerui.messaging.exchange.lists import FrameList, put, run
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.workers import arrived_lists
from brokerui.messaging.workers.arrived_lists import ArrivedLists

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lists")]


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hosted instances."""
    hosted = ["A"]
    monkeypatch.setattr(arrived_lists, "hosted_names", lambda: tuple(hosted))
    return hosted


def arrive(instance: str, shard: int) -> None:
    bundle = bundled([b"\0\0\0\1x"])[0]
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
