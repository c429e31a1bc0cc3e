"""Which conversations a store recalls, as commits have left them."""

from __future__ import annotations

from typing import Any

import pytest

from routing.dialog.batch import ChangeSet, ClaimedBatch
from routing.dialog.endpoint import ConversationGroupState, Endpoint
from routing.runtime.recalled_conversations import RecalledConversations, recall
from tests.routing.runtime.store.conformance import NOW, ONE, endpoint


def committed(recalled: RecalledConversations, after: Endpoint, read: int, written: int, **named: Any) -> None:
    """A claim has read a version of an endpoint, and its commit has written another one."""
    handle, group = after.conversation_handle, after.conversation_group_id
    batch = ClaimedBatch(1, endpoints={handle: endpoint(handle)})
    batch.groups[group] = ConversationGroupState(group, "db", "S", "Q", 1)
    changes = ChangeSet(1, NOW, endpoints={handle: after}, **named)
    recalled.learn(batch, changes, {handle: read}, {handle: written})


def test_one_that_was_found_as_it_was_left_is_recalled_as_it_is_left_now() -> None:
    recalled, last = RecalledConversations(), endpoint("1t", receive_sequence=2)
    committed(recalled, endpoint("1t", receive_sequence=1), 1, 2)
    assert recalled.find(ONE, NOW) is None
    committed(recalled, last, 2, 3)
    found = recalled.find(ONE, NOW)
    assert found is not None
    batch = recall(ClaimedBatch(7), found)
    assert (batch.token, batch.endpoints, batch.handles) == (7, {"1t": last}, {("1", False): "1t"})
    assert set(batch.groups) == {"1t"}
    assert recalled.find((*ONE, ("2", False)), NOW) is None
    assert recalled.find((), NOW) is None


def test_one_that_somebody_else_changes_between_is_never_recalled() -> None:
    recalled = RecalledConversations()
    for version in range(0, 9, 3):
        committed(recalled, endpoint("1t"), version, version + 1)
        assert recalled.find(ONE, NOW) is None


@pytest.mark.parametrize("waits", [{"outgoing": 1}, {"held": 1}, {"due": NOW}])
def test_one_in_which_something_waits_is_not_recalled(waits: dict[str, Any]) -> None:
    recalled = RecalledConversations()
    for version in range(2):
        committed(recalled, endpoint("1t", **waits), version, version + 1)
    assert recalled.find(ONE, NOW) is None
    assert recalled.find(ONE, NOW - 1) is None or "due" in waits


def test_one_that_has_gone_or_was_not_as_it_was_left_is_forgotten() -> None:
    recalled = RecalledConversations()
    for version in range(2):
        committed(recalled, endpoint("1t"), version, version + 1)
    assert recalled.find(ONE, NOW)
    recalled.forget([endpoint("1t")])
    assert recalled.find(ONE, NOW) is None
    for version in range(2):
        committed(recalled, endpoint("1t"), version, version + 1)
    committed(recalled, endpoint("1t"), 2, 3, removed=["1t"])
    assert recalled.find(ONE, NOW) is None


def test_those_that_were_committed_longest_ago_are_forgotten_first() -> None:
    recalled = RecalledConversations(most=2)
    for version in range(2):
        for handle in ("1t", "2t"):
            committed(recalled, endpoint(handle), version, version + 1)
    committed(recalled, endpoint("1t"), 2, 3)
    committed(recalled, endpoint("3t"), 0, 1)
    assert recalled.find(ONE, NOW)
    assert recalled.find((("2", False),), NOW) is None
