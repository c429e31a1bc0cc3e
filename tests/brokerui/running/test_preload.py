"""Preloading: data is read before pages ask for it, once, by one thread; a failure does no harm."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from benchmarks.estates import large_estate
from brokerui.core.cache import LruCache
from brokerui.core.keyed_lock import KeyedLock
from brokerui.estate.cache import estates
from brokerui.estate.services import estate_import
from brokerui.pages.map import network
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.routes import rows
from brokerui.running import preload
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.edits import PutInstance, PutRoute
from routing.model.estate import Estate, Instance
from routing.model.route import Route


@pytest.fixture
def estate() -> Iterator[Estate]:
    estates.clear()
    yield read_estate(json.dumps(large_estate(instances=8, databases=24, routes=200, names=20)))
    estates.clear()


def unmade(*_: Any) -> Any:
    raise AssertionError("made again")


@pytest.mark.django_db
@pytest.mark.parametrize("ahead", [preload.preload_estate, preload.preload])
def test_pages_find_what_was_made_ahead(
    client: Client, estate: Estate, ahead: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preload, "connections", type("Open", (), {"close_all": staticmethod(lambda: None)}))
    monkeypatch.setattr(preload, "gc_freeze", lambda: None)
    estate_import(estate=estate, author="test")
    estates.clear()
    ahead()
    monkeypatch.setattr("brokerui.estate.selectors.unpack_estate", unmade)
    monkeypatch.setattr(network, "RouteNetwork", unmade)
    monkeypatch.setattr(rows, "RouteList", unmade)
    assert [client.get(url).status_code for url in ("/map/", "/routes/", "/where/")] == [200, 200, 200]


@pytest.mark.django_db
def test_what_was_read_beside_a_request_is_ready_for_pages(
    client: Client, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    works: dict[Any, Any] = {}
    monkeypatch.setattr("brokerui.core.deferred._begin", works.setdefault)
    monkeypatch.setattr("brokerui.estate.selectors.LONG", 0)
    estate_import(estate=estate, author="test")
    estates.clear()
    network._networks.clear()
    assert client.get("/map/").status_code == 503
    for work in works.values():
        work()
    monkeypatch.setattr(network, "RouteNetwork", unmade)
    assert client.get("/map/").status_code == 200


def test_a_database_that_does_not_answer_stops_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_query: Any) -> Any:
        raise DatabaseError("gone")

    monkeypatch.setattr(preload, "estate_view_from", refuse)
    monkeypatch.setattr(preload, "gc_freeze", lambda: None)
    preload.preload_estate()
    assert "gone" in caplog.text


def test_templates_are_there_before_the_first_request() -> None:
    preload.preload_program()


def test_what_two_threads_want_is_made_once() -> None:
    memory: LruCache[int] = LruCache(2)
    made: list[int] = []

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return len(made)

    threads = [threading.Thread(target=memory.get_or_make, args=("key", make)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (made, memory.get_or_make("key", make), memory.newest()) == ([1], 1, 1)


def test_nobody_waits_for_another_key_nor_after_a_failure() -> None:
    once = KeyedLock()
    with pytest.raises(ZeroDivisionError), once.hold("a"), once.hold("b"):
        raise ZeroDivisionError
    with once.hold("a"), once.hold("b"):
        pass


@pytest.mark.parametrize("moves", [False, True])
def test_a_network_that_shares_servers_is_the_one_that_shares_none(estate: Estate, moves: bool) -> None:
    """`moves`: an address leads elsewhere from then on, also for instances that were not changed."""
    before = RouteNetwork(estate)
    first = next(iter(estate.instances.values()))
    edit = (
        PutInstance(Instance("other", {}, (parse_address("tcp://unknown.example:4022"),)))
        if moves
        else PutRoute(
            first.name, next(iter(first.databases)), Route("New", "S", None, None, parse_address("tcp://x:1"))
        )
    )
    after = estate.edited([edit])
    shared, whole = RouteNetwork(after, before), RouteNetwork(after)
    kept = [shared.sums[name] is sums for name, sums in before.sums.items()]
    assert (sum(kept), len(kept)) == ((0, 8) if moves else (7, 8))
    for column in ("sums", "callers", "homes", "routed", "routes", "databases", "elements"):
        assert getattr(shared, column) == getattr(whole, column), column
