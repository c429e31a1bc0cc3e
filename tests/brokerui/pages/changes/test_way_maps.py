"""Both ways of a conversation as two maps: one layout, what each way takes, what differs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from brokerui.changes.marks import marks_between
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.pages.changes import way_maps as module
from brokerui.pages.changes.way_maps import WayMaps, way_maps
from brokerui.pages.changes.ways import Way, way_of
from brokerui.pages.map.picture import MapPicture, Mark
from routing.model.address import parse_address
from routing.model.conversation import Conversation
from routing.model.edits import DropDatabase, DropRoute, PutRoute
from routing.model.estate import Edit, Estate
from routing.model.route import Route
from routing.rules.explanation import explain

AT = datetime(2026, 1, 1, tzinfo=UTC)
POST = "//example/ledger/Post"
TO_OFFICE = PutRoute("shop", "Orders", Route("PostRoute", POST, None, None, parse_address("tcp://office.example:4022")))


def maps_of(service: str, *edits: Edit) -> WayMaps:
    before = scenario_get("three-servers")
    after = before.edited(edits)
    conversation = Conversation("shop", "Orders", to_service=service)

    def way(estate: Estate) -> Way:
        return way_of(explain(estate, conversation, AT), estate)

    return way_maps((before, after), (way(before), way(after)), marks_between(before, after), AT, str)


def mark_of(picture: MapPicture, ref: str) -> Mark:
    return next(mark for mark in picture.marks() if str(mark.ref) == ref)


def texts(mark: Mark) -> list[str]:
    return [label.text for label in mark.labels if label.text]


def test_each_thing_has_one_place_in_both_maps() -> None:
    maps = maps_of(POST, TO_OFFICE)
    places = [[(str(mark.ref), mark.area) for mark in picture.marks()] for picture in (maps.before, maps.after)]
    assert places[0] == places[1]
    assert len(places[0]) > 8


def test_the_way_is_drawn_over_the_routes_that_it_takes_and_ends_have_words() -> None:
    maps = maps_of(POST, TO_OFFICE)
    before, after = (mark_of(picture, "route/shop/Orders/PostRoute") for picture in (maps.before, maps.after))
    assert [line.to.name for line in before.lines] == ["tcp://office.example:1433"]
    assert [line.to.name for line in after.lines] == ["office"]
    assert all("forth" in mark.look and "with-differs" in mark.look for mark in (before, after))
    assert (before.change, after.change) == ("", "altered")
    assert texts(mark_of(maps.before, "outside/tcp:%2F%2Foffice.example:1433"))[1] == "leaves the estate"
    assert "delivered" in texts(mark_of(maps.after, "database/office/Ledger"))
    assert "back" in mark_of(maps.after, "route/office/Ledger/BackToCart").look
    assert "with-" not in mark_of(maps.before, "database/office/Ledger").look


def test_what_one_estate_alone_has_is_drawn_as_missing_in_the_other() -> None:
    maps = maps_of(
        "//example/print/Labels", DropRoute("shop", "Orders", "LabelsAtDepot"), DropDatabase("depot", "Printing")
    )
    dropped = mark_of(maps.after, "route/shop/Orders/LabelsAtDepot")
    assert (texts(dropped), dropped.lines, "dropped" in dropped.look) == (["LabelsAtDepot", "dropped"], (), True)
    added = mark_of(
        maps_of(POST, PutRoute("shop", "Orders", Route("New", POST, None, None, TO_OFFICE.route.address))).before,
        "route/shop/Orders/New",
    )
    assert (texts(added), "absent" in added.look) == (["New", "not there yet"], True)


def test_routes_that_neither_way_takes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = maps_of(POST, TO_OFFICE)
    assert "5 more routes" in [label.text for mark in maps.before.marks() for label in mark.labels]
    monkeypatch.setattr(module, "MAX_INSTANCES", 1)
    few = maps_of(POST, TO_OFFICE)
    assert few.left_out == 1
    assert len([shape for shape in few.after.shapes if shape.head.ref.kind == "instance"]) == 1
