"""Views of pages with filters: saved, opened, shared, found, and changed by their owner alone."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.estate.map_views.filters import query_of, query_text
from brokerui.estate.map_views.models import FILTERED_PAGES, MapView
from brokerui.estate.map_views.services import map_view_create
from brokerui.pages.saved.addresses import PAGES
from tests.brokerui.api.helpers import change, send
from tests.brokerui.site import signed_in, user_of

pytestmark = pytest.mark.django_db
FILTER = "error=9736&after=1+2&event_class=Broker%3AConnection&as_of=3"


@pytest.fixture
def operator() -> Client:
    return signed_in(Role.OPERATOR)


@pytest.fixture
def viewer() -> Client:
    return signed_in(Role.VIEWER)


def saved(client: Client, title: str = "Refused", page: str = "events", **more: str) -> MapView:
    answer = client.post("/saved/save/", {"title": title, "page": page, "query": FILTER, **more})
    assert answer.status_code == 302
    return MapView.objects.get(title=title)


def shared_by(owner: str, *, is_shared: bool, page: str = "events") -> MapView:
    return map_view_create(title="Theirs", page=page, query={"error": "1"}, is_shared=is_shared, owner=owner)


def test_every_page_of_a_filter_has_a_place() -> None:
    assert {*FILTERED_PAGES, "map"} == PAGES.keys()


def test_a_filter_is_its_fields_without_place_and_estate() -> None:
    assert query_of(FILTER) == {"error": "9736", "event_class": "Broker:Connection"}
    assert query_of("kind=a&kind=b") == {"kind": ["a", "b"]}
    assert query_text({"kind": ["a", "b"]}) == "kind=a&kind=b"


def test_a_view_keeps_the_filter_and_opens_it(operator: Client) -> None:
    view = saved(operator, is_shared="1")
    location = urlsplit(operator.get(f"/saved/{view.key}/").headers["Location"])
    assert location.path == "/events/"
    assert parse_qs(location.query) == {"error": ["9736"], "event_class": ["Broker:Connection"]}
    assert view.is_shared


def test_the_menu_of_a_page_has_its_views(viewer: Client) -> None:
    saved(viewer, page="routes")
    shared_by("kim", is_shared=True, page="routes")
    map_view_create(title="Elsewhere", page="events", query={}, is_shared=True, owner="kim")
    text = viewer.get("/routes/?scenario=1-default").content.decode()
    assert "Refused" in text
    assert "by kim" in text
    assert "Elsewhere" not in text


def test_go_to_finds_a_view_with_its_page(viewer: Client) -> None:
    saved(viewer)
    text = viewer.get("/goto/?q=refu").content.decode()
    assert "/saved/refused/" in text


def test_a_private_view_of_another_user_is_not_there(viewer: Client) -> None:
    key = shared_by("kim", is_shared=False).key
    for answer in (
        viewer.get(f"/saved/{key}/"),
        viewer.post(f"/saved/{key}/", {"title": "Mine"}),
        viewer.post(f"/saved/{key}/delete/"),
        viewer.get(f"/api/v1/views/{key}/"),
    ):
        assert answer.status_code == 404
    assert "Theirs" not in viewer.get("/saved/").content.decode()
    assert "Theirs" not in viewer.get("/goto/?q=theirs").content.decode()


def test_a_shared_view_is_read_only_for_others(viewer: Client) -> None:
    key = shared_by("kim", is_shared=True).key
    assert viewer.get(f"/saved/{key}/").status_code == 302
    assert viewer.post(f"/saved/{key}/", {"title": "Mine"}).status_code == 404
    assert change(viewer, "patch", f"/api/v1/views/{key}/", {"title": "Mine"}).status_code == 403
    assert MapView.objects.get(key=key).title == "Theirs"


def test_its_owner_renames_shares_and_deletes_it(operator: Client) -> None:
    key = saved(operator).key
    operator.post(f"/saved/{key}/", {"title": "Peers", "is_shared": "1"})
    view = MapView.objects.get(key=key)
    assert (view.title, view.is_shared, view.query["error"]) == ("Peers", True, "9736")
    operator.post(f"/saved/{key}/delete/")
    assert not MapView.objects.exists()


def test_a_viewer_keeps_views_private_and_sees_none_of_pages_that_are_closed(viewer: Client) -> None:
    assert not saved(viewer, is_shared="1").is_shared
    shared_by("kim", is_shared=True, page="audit")
    assert "Theirs" not in viewer.get("/saved/").content.decode()


def test_a_page_without_filter_is_none(viewer: Client) -> None:
    assert viewer.post("/saved/save/", {"title": "x", "page": "map", "query": ""}).status_code == 404


def test_rest_has_the_same(operator: Client) -> None:
    made = send(operator, "post", "/api/v1/views/", {"page": "events", "title": "Refused", "query": FILTER}).json()
    assert made["query"] == "error=9736&event_class=Broker%3AConnection"
    assert made["owner"] == user_of(Role.OPERATOR).get_username()
    map_view_create(title="Of the map", query={}, is_shared=True, owner="kim")
    assert [one["title"] for one in operator.get("/api/v1/views/").json()["results"]] == ["Refused"]
    assert operator.get("/api/v1/map/views/refused/").status_code == 404
