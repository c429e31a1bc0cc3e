"""Saved views of the map: a name for a part of it and for the places of its boxes, private or shared."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.map_views.models import MapView
from brokerui.estate.map_views.places import places_from, places_text
from brokerui.estate.map_views.services import MOST, map_view_create
from brokerui.estate.models import Version
from routing.common.errors import Invalid
from tests.brokerui.estate.helpers import TWO, brought_in

pytestmark = pytest.mark.django_db
PLACES = "instance/here,40,80;instance/there,-4,12"
SHOWN = "draft=3&focus=here&hops=2&select=instance%2Fhere&page=4"


@pytest.fixture(autouse=True)
def estate(db: Any) -> None:
    brought_in(TWO)


def save(client: Client, title: str = "Shop floor", **more: str) -> Any:
    return client.post("/map/views/", {"title": title, "query": "focus=here&hops=2", "places": PLACES, **more})


def page(client: Client, path: str) -> str:
    response = client.get(path, follow=True)
    assert response.status_code == 200
    return unescape(response.content.decode())


def test_a_view_holds_what_the_map_shows_and_where_boxes_were_put(viewer: Client) -> None:
    answer = save(viewer, query=SHOWN)
    assert answer.headers["Location"] == "/map/?draft=3&focus=here&hops=2&view=shop-floor"
    view = MapView.objects.get()
    assert (view.query, places_text(view.places)) == ({"focus": "here", "hops": "2"}, PLACES)
    opened = page(viewer, "/map/views/shop-floor/")
    assert f'data-places="{PLACES}"' in opened
    assert "View: Shop floor" in opened
    assert viewer.get("/map/views/shop-floor/?as_of=1").headers["Location"] == (
        "/map/?as_of=1&focus=here&hops=2&view=shop-floor"
    )
    assert Version.objects.count() == 1, "a view is no edit"


def test_a_private_view_is_its_owners_alone_and_a_shared_one_is_read_by_all(
    viewer: Client, operator: Client, editor: Client
) -> None:
    save(operator)
    save(operator, "For all", is_shared="1")
    assert viewer.get("/map/views/shop-floor/").status_code == 404
    assert "There is no saved view shop-floor, or it is private." in page(viewer, "/map/?view=shop-floor")
    listed = page(viewer, "/map/")
    assert ("Shop floor" in listed, "For all" in listed, "by operator" in listed) == (False, True, True)
    for other in (viewer, editor):
        assert other.post("/map/views/for-all/", {"title": "Mine now"}).status_code == 404
        assert other.post("/map/views/for-all/delete/").status_code == 404
    save(viewer, "Not for all", is_shared="1")
    assert not MapView.objects.get(title="Not for all").is_shared, "a viewer shares nothing"


def test_its_owner_renames_changes_and_deletes_it(operator: Client) -> None:
    save(operator)
    operator.post("/map/views/shop-floor/", {"title": "Depot", "query": "focus=there", "is_shared": "1"})
    view = MapView.objects.get()
    kept = (view.key, view.title, view.query, places_text(view.places), view.is_shared)
    assert kept == ("shop-floor", "Depot", {"focus": "there"}, PLACES, True)
    operator.post("/map/views/shop-floor/", {"title": "Depot", "query": "", "places": ""})
    view.refresh_from_db()
    assert (view.query, view.places, view.is_shared) == ({}, [], False)
    operator.post("/map/views/shop-floor/delete/")
    assert not MapView.objects.exists()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"title": " "}, "its name: must not be empty."),
        ({"title": "x" * 81}, "its name: is longer than 80 characters."),
        ({"title": "a\0b"}, "its name: holds a character that no name has."),
        ({"title": "Taken"}, "its name: you have a view of this name already."),
        ({"places": "instance/here,1"}, "The view is not saved: 'instance/here,1' is not REF,X,Y."),
        ({"query": "focus=a%00b"}, "The view is not saved: holds a character that no name has."),
    ],
)
def test_what_is_refused_says_why_and_nothing_is_saved(viewer: Client, given: dict[str, str], problem: str) -> None:
    save(viewer, "Taken")
    answer = viewer.post("/map/views/", {"title": "New", "query": "", "places": "", **given}, follow=True)
    assert problem in unescape(answer.content.decode())
    assert MapView.objects.count() == 1


def test_keys_differ_where_titles_do_not(viewer: Client, editor: Client) -> None:
    for client in (viewer, editor):
        save(client)
    assert sorted(MapView.objects.values_list("key", flat=True)) == ["shop-floor", "shop-floor-2"]


def test_a_user_has_a_limited_number_of_views() -> None:
    rows = [MapView(key=f"v{n}", title=f"v{n}", owner="ada", updated_at="2030-01-01T00:00:00Z") for n in range(MOST)]
    MapView.objects.bulk_create(rows)
    with pytest.raises(Invalid, match="title"):
        map_view_create(title="one more", query={}, places=[], is_shared=False, owner="ada")


@pytest.mark.parametrize("text", ["a,nan,1", "a,inf,1", "a,1e9,1", ",1,1", "a,1,1,1", "a\0,1,1"])
def test_places_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(Invalid):
        places_from(f"instance/x,1,2;{text}")
