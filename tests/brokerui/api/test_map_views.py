"""Saved views of the map over REST: private and shared, written by their owner alone, never over another write."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.estate.map_views.errors import MapViewStaleError
from brokerui.estate.map_views.models import MapView
from brokerui.estate.map_views.services import map_view_change, map_view_delete
from brokerui.estate.models import Version
from tests.brokerui.api.helpers import API, change, send

VIEWS = f"{API}/map/views/"
PLACES = [{"ref": "instance/here", "x": 40, "y": -8}]
BODY = {"title": "Shop floor", "query": {"focus": "here", "hops": "2"}, "places": PLACES}
pytestmark = pytest.mark.usefixtures("shared_small")


def save(client: Client, **more: Any) -> Any:
    return send(client, "post", VIEWS, {**BODY, **more})


def test_a_view_is_saved_read_changed_and_deleted(viewer: Client) -> None:
    versions = Version.objects.count()
    answer = save(viewer)
    assert answer.status_code == 201
    address = answer.headers["Location"]
    assert {key: answer.json()[key] for key in BODY} == BODY
    assert viewer.get(address).json() == answer.json()
    assert viewer.get(address, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    page = viewer.get("/map/views/shop-floor/")
    assert page.headers["Location"] == "/map/?focus=here&hops=2&view=shop-floor", "the page opens the same view"
    renamed = send(viewer, "patch", address, {"title": "Night"}, If_Match=answer.headers["ETag"])
    assert renamed.json() == answer.json() | {"title": "Night", "updated_at": renamed.json()["updated_at"]}
    assert send(viewer, "delete", address, If_Match=answer.headers["ETag"]).status_code == 412
    assert send(viewer, "delete", address, If_Match=renamed.headers["ETag"]).status_code == 204
    assert viewer.get(address).status_code == 404
    assert Version.objects.count() == versions, "a view is no edit"


def test_others_see_shared_views_alone_and_change_none(viewer: Client, operator: Client) -> None:
    save(operator, title="Mine")
    shared = save(operator, title="For all", is_shared=True)
    listed = viewer.get(VIEWS).json()["results"]
    assert [(one["title"], one["owner"]) for one in listed] == [("For all", "operator")]
    assert viewer.get(f"{VIEWS}mine/").status_code == 404
    for method, body in (("patch", {"title": "x"}), ("delete", None)):
        refused = send(viewer, method, shared.headers["Location"], body, If_Match="*")
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    refused = save(viewer, is_shared=True)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert change(operator, "patch", shared.headers["Location"], {"is_shared": False}).status_code == 200
    assert viewer.get(VIEWS).json()["results"] == []


def test_pages_of_the_list_hold_each_view_once(viewer: Client) -> None:
    for number in range(3):
        save(viewer, title=f"View {number}")
    first = viewer.get(VIEWS, {"limit": 2}).json()
    rest = viewer.get(first["next"]).json()
    assert [one["key"] for one in first["results"] + rest["results"]] == ["view-0", "view-1", "view-2"]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"title": ""}, "title"),
        ({"title": "Shop floor"}, "title"),
        ({"query": {"focus": "here", "colour": "red"}}, "query"),
        ({"query": {"hops": "9"}}, "query.hops"),
        ({"places": [{"ref": "instance/here", "x": 1}]}, "places[0].y"),
        ({"places": [{"ref": "instance/here", "x": 1, "y": 10**9}]}, "places[0].y"),
    ],
)
def test_one_error_says_where_and_nothing_is_written(viewer: Client, body: dict[str, Any], where: str) -> None:
    save(viewer)
    answer = send(viewer, "post", VIEWS, {**BODY, "title": "Other", **body})
    assert (answer.status_code, answer.json()["errors"][0]["name"]) == (422, where)
    assert MapView.objects.count() == 1


@pytest.mark.django_db
def test_a_write_between_reading_and_writing_is_never_overwritten(viewer: Client) -> None:
    save(viewer)
    seen = MapView.objects.get()
    map_view_change(key=seen.key, title="Other", is_shared=False, owner=seen.owner)
    with pytest.raises(MapViewStaleError):
        map_view_change(key=seen.key, title="Lost", is_shared=False, owner=seen.owner, seen_at=seen.updated_at)
    with pytest.raises(MapViewStaleError):
        map_view_delete(key=seen.key, owner=seen.owner, seen_at=seen.updated_at)
    assert MapView.objects.get().title == "Other"


def test_nobody_saves_a_view_on_a_site_that_is_read_only(viewer: Client, settings: Any) -> None:
    settings.READ_ONLY = True
    refused = save(viewer)
    assert (refused.status_code, refused.json()["code"]) == (403, "read_only")
    assert viewer.get(VIEWS).status_code == 200
