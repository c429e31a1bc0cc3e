"""Work that takes longer than a request may is done beside it, and the client has to ask again."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from benchmarks.estates import large_estate
from brokerui.analysis.lint import selectors as lint
from brokerui.analysis.reachability import selectors as reachability
from brokerui.core import deferred as module
from brokerui.core.deferred import NotReadyError, defer, deferral_allowed, is_deferred_work_running
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate import selectors as estate_selectors
from brokerui.estate.cache import estates
from brokerui.estate.scenarios import selectors as scenarios
from brokerui.estate.scenarios import services
from brokerui.estate.scenarios.models import Scenario
from brokerui.estate.services import estate_edit, estate_import
from routing.documents.estate_document import read_estate
from routing.model.edits import SetHopLimit
from routing.model.estate import Estate
from tests.brokerui.site import document, upload

SECONDS = 5
PAGE = {"Accept": "text/html"}
Works = list[Callable[[], object]]


@pytest.fixture(autouse=True)
def nothing_in_memory() -> Iterator[None]:
    for memory in (estates, scenarios.estates, reachability._large, reachability._parts):
        memory.clear()
    yield
    estates.clear()


@pytest.fixture
def estate() -> Estate:
    return read_estate(json.dumps(large_estate(instances=8, databases=24, routes=200, names=20)))


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Works:
    """What a thread would do, to be done by the test; everything takes long."""
    works: dict[Any, Callable[[], object]] = {}
    monkeypatch.setattr(module, "_begin", works.setdefault)
    monkeypatch.setattr(estate_selectors, "LONG", 0)
    monkeypatch.setattr(scenarios, "LONG", 0)
    monkeypatch.setattr(services, "LONG", 0)
    monkeypatch.setattr(reachability, "LONG", 0)
    return _Done(works)


class _Done(list[Callable[[], object]]):
    def __init__(self, works: dict[Any, Callable[[], object]]) -> None:
        super().__init__()
        self._works = works

    def do(self) -> int:
        """Do the works that are waiting; return their number."""
        done = len(self._works)
        for work in list(self._works.values()):
            work()
        self._works.clear()
        return done


# -- The thread --------------------------------------------------------------------------------------------


def until(done: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < end
        time.sleep(0.005)


def idle() -> bool:
    return not is_deferred_work_running()


def test_outside_of_a_request_nobody_is_told() -> None:
    defer("key", lambda: pytest.fail("the caller does the work itself"))
    assert idle()


def test_it_is_done_once_however_many_ask() -> None:
    may_end, done = threading.Event(), []

    def work() -> None:
        may_end.wait(SECONDS)
        done.append(1)

    with deferral_allowed():
        for _ in range(3):
            with pytest.raises(NotReadyError):
                defer("key", work)
    may_end.set()
    until(idle)
    assert done == [1]


def test_what_went_wrong_is_told_once_and_then_it_is_tried_again() -> None:
    done = []

    def work() -> None:
        done.append(1)
        raise ZeroDivisionError

    with deferral_allowed():
        with pytest.raises(NotReadyError):
            defer("key", work)
        until(idle)
        with pytest.raises(ZeroDivisionError):
            defer("key", work)
        with pytest.raises(NotReadyError):
            defer("key", work)
        until(idle)
    assert done == [1, 1]
    module._failed.clear()


def test_only_so_many_are_under_way() -> None:
    may_end = threading.Event()
    with deferral_allowed():
        for key in range(module.DEFERRED_MAX + 3):
            with pytest.raises(NotReadyError):
                defer(key, lambda: may_end.wait(SECONDS))
    assert len(module._running) == module.DEFERRED_MAX
    may_end.set()
    until(idle)


# -- Pages and resources -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_page_says_that_it_is_being_read_and_asks_again(client: Client, estate: Estate, beside: Any) -> None:
    estate_import(estate=estate, author="test")
    estates.clear()
    response = client.get("/routes/", headers=PAGE)
    assert response.status_code == 202
    assert response.headers["Refresh"] == "2"
    assert response.headers["Cache-Control"] == "no-store"
    assert "This estate is being read" in response.content.decode()
    assert client.get("/map/", headers=PAGE).status_code == 202
    assert beside.do() == 1
    assert client.get("/routes/", headers=PAGE).status_code == 200


@pytest.mark.django_db
def test_an_edit_of_what_is_in_memory_is_not_waited_for(client: Client, estate: Estate) -> None:
    estate_import(estate=estate, author="test")
    before = estates.get(estate_selectors.estate_current().digest)
    estate_edit(edits=[SetHopLimit(7)], base_version=1, author="test")
    estates.clear()
    assert before is not None
    estates.put(estate_selectors.Version.objects.get(number=1).digest, before)
    assert client.get("/routes/", headers=PAGE).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("url", ["/api/v1/routes/", "/api/v1/estate/?as_of=1", "/estate.json", "/routes/routes.csv"])
def test_a_program_is_told_when_to_ask_again(
    client: Client, estate: Estate, beside: Any, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    estate_import(estate=estate, author="test")
    estates.clear()
    response = client.get(url)
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "2"
    assert response.headers["Content-Type"] == "application/problem+json"
    assert json.loads(response.content)["code"] == "being_read"
    assert not caplog.records
    beside.do()
    assert client.get(url).status_code == 200


@pytest.mark.django_db
def test_a_form_waits(client: Client, estate: Estate, beside: Any) -> None:
    estate_import(estate=estate, author="test")
    estates.clear()
    assert client.post(reverse("tables:estate_route_add"), {"name": "New"}).status_code == 422
    assert beside.do() == 0


@pytest.mark.django_db
def test_a_piece_of_a_page_becomes_the_page_or_stays_away(client: Client, estate: Estate, beside: Any) -> None:
    estate_import(estate=estate, author="test")
    estates.clear()
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/map/?as_of=1"}
    page = client.get("/map/?as_of=1&selected=instance/srv0000", headers=headers)
    assert page.headers["HX-Redirect"] == "/map/?as_of=1&selected=instance/srv0000"
    piece = client.get("/findings/state/?as_of=1", headers=headers)
    assert (piece.status_code, piece.content) == (204, b"")


@pytest.mark.django_db
def test_what_is_known_of_all_pairs_is_read_beside_too(
    client: Client, estate: Estate, beside: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reachability, "SMALL", 0)
    estate_import(estate=estate, author="test")
    seen = []
    for _ in range(2):
        seen.append(client.get("/reachability/", headers=PAGE).status_code)
        assert beside.do() == 1
        page = client.get("/reachability/", headers=PAGE)
        seen.append(page.status_code)
        jobs_run()
    assert seen == [202, 200, 202, 200]


@pytest.mark.django_db
def test_many_findings_are_read_beside_too(
    client: Client, estate: Estate, beside: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SMALL", "LONG"):
        monkeypatch.setattr(lint, name, 0)
    estate_import(estate=estate, author="test")
    client.get("/findings/", headers=PAGE)
    jobs_run()
    lint._found_large.clear()
    assert client.get("/routes/", headers=PAGE).status_code == 202
    assert beside.do() == 1
    assert client.get("/routes/", headers=PAGE).status_code == 200


# -- Scenarios ---------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_long_document_is_kept_at_once_and_opened_when_it_was_read(client: Client, beside: Any) -> None:
    answer = client.post("/scenarios/", upload(document("a"), "Orders.json"))
    assert answer.headers["Location"] == "/scenarios/orders/open/"
    assert "Orders" not in client.get("/scenarios/").content.decode().replace("OrderParts", "")
    assert client.get("/where/?scenario=orders").status_code == 404
    assert client.get("/scenarios/orders/open/", headers=PAGE).status_code == 202
    beside.do()
    opened = client.get("/scenarios/orders/open/?from=a/Orders&to=A", headers=PAGE)
    assert opened.headers["Location"] == "/where/?scenario=orders&from=a%2FOrders&to=A"
    assert client.get(opened.headers["Location"]).status_code == 200
    assert Scenario.objects.get().instances == 1


@pytest.mark.django_db
def test_what_is_no_estate_is_told_when_it_was_read(client: Client, beside: Any) -> None:
    wrong = document("a").replace(b"LOCAL", b"ftp://\\u0000")
    client.post("/scenarios/", upload(wrong, "wrong.json"))
    assert client.get("/scenarios/wrong/open/", headers=PAGE).status_code == 202
    beside.do()
    for _ in range(2):
        page = client.get("/scenarios/wrong/open/", headers=PAGE)
        assert page.status_code == 422
        assert "instances[0].databases[0].routes[0].address</code>" in page.content.decode()
    assert client.get("/where/?scenario=wrong").status_code == 404
    assert client.post("/scenarios/wrong/delete/").status_code == 404


@pytest.mark.django_db
def test_an_example_is_opened_at_once(client: Client) -> None:
    assert client.get("/scenarios/1-default/open/").headers["Location"] == "/where/?scenario=1-default"
    assert client.get("/scenarios/nobody/open/").status_code == 404
