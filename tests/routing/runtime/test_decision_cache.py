"""Moments between the engine and routing, and decisions that are kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.moment import from_milliseconds, to_milliseconds
from routing.dialog.problems import PROBLEMS
from routing.runtime import decision_cache
from routing.runtime.decision_cache import STATUS_OF_REASON
from routing.security.policy import NO_BINDING
from tests.routing.dialog.joined import LOCAL, Joined, joined_estate, way
from tests.routing.dialog.local import NOW, SECOND


def test_the_engine_counts_milliseconds_since_1970() -> None:
    assert from_milliseconds(1_900_000_000_123) == datetime(2030, 3, 17, 17, 46, 40, 123_000, tzinfo=UTC)


@given(st.integers(0, 200_000_000_000_000))
def test_a_moment_comes_back(now: int) -> None:
    assert to_milliseconds(from_milliseconds(now)) == now


def test_every_reason_of_routing_has_a_status() -> None:
    from routing.rules import decision

    reasons = {
        decision.NO_ROUTE,
        decision.SERVICE_NOT_FOUND,
        decision.ROUTE_REQUESTED,
        decision.NO_PRINCIPAL,
        decision.NOT_AN_ADDRESS,
        decision.FORWARDING_DISABLED,
        decision.HOP_LIMIT,
    }
    assert set(STATUS_OF_REASON) == reasons
    assert {*STATUS_OF_REASON.values(), NO_BINDING} <= PROBLEMS.keys()


def until(seconds: int) -> str:
    return f"{from_milliseconds(NOW + seconds * SECOND):%Y-%m-%dT%H:%M:%SZ}"


def test_a_choice_is_kept_until_its_route_expires() -> None:
    """RT-STICKY, RT-TABLE: at and after its lifetime."""
    routes = [way("To", "b", lifetime=until(10)), {"name": "any", "address": "tcp://c"}]
    world = Joined(joined_estate(one={"routes": routes}))
    world.fate = lambda parcel: []
    handle = world.begin()
    world.send(handle)
    world.settle()
    assert world.there(handle).kept_route == "To_b"
    for _ in range(3):
        world.later(5 * SECOND)
    assert world.there(handle).kept_route == "any"
    assert [parcel.target for parcel in world.passed] == ["b", "b", "c"]


def test_a_forwarder_follows_a_route_until_it_expires() -> None:
    msdb = {"routes": [way("To", "b", lifetime=until(10))]}
    empty = {"services": [], "routes": []}
    estate = joined_estate(one={"routes": [way("To", "c")]}, three=empty, msdb_c=msdb, c={"forwarding": True})
    world = Joined(estate)
    handle, _ = world.open()
    world.now += 10 * SECOND
    world.send(handle)
    world.settle()
    assert [event.reason for event in world.reported("c", 160)] == [9793]
    assert world.there(handle).outgoing == 1


def test_no_more_than_a_limit_of_decisions_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_cache, "MAX_CACHED_DECISIONS", 2)
    world = Joined(joined_estate(one={"routes": [{"name": "any", "address": "tcp://b"}]}))
    for service in ("To", "T", "U", "V", "To"):
        world.send(world.begin(to=service))
    world.settle()
    assert world.received() == ["x", "x"]
    for host in ("a", "b"):
        kept = world.brokers[host].decisions
        assert len(kept._cached) <= 2
        assert len(kept._onwards) <= 2


def test_where_copies_are_many_each_conversation_keeps_its_own() -> None:
    """LOC-2: a random one; RT-STICKY: kept."""
    to = {"services": [{"name": "To", "queue": "ToQ", "contracts": ["DEFAULT"]}]}
    databases = [{"name": name, "routes": [way("From", "a")], **to} for name in ("two", "too")]
    world = Joined(joined_estate(b={"databases": [*databases, {"name": "msdb", "routes": LOCAL}]}))
    handles = [world.begin() for _ in range(8)]
    for round_ in range(3):
        for handle in handles:
            world.send(handle, b"%d" % round_)
        world.settle()
    assert not any(world.there(handle).outgoing for handle in handles)
    endpoints = world.stores["b"]._endpoints.values()
    assert {endpoint.database for endpoint in endpoints} == {"two", "too"}
    assert {endpoint.receive_sequence for endpoint in endpoints} == {3}
