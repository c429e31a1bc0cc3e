"""What lint found, on the picture: each error and warning once, at the thing that it is about."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.core.home import CHECKOUT
from brokerui.estate.refs import Ref, database, instance_ref, route
from brokerui.pages.map.badges import put_badges
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.plan import Badge, MapPlan
from routing.documents.estate_document import read_estate
from routing.lint.registry import lint
from tests.brokerui.estates import LOCAL, document, fan, instance, to
from tests.brokerui.estates import database as with_routes
from tests.brokerui.pages.map.helpers import assert_sound, planned

NOW = datetime(2026, 6, 1, tzinfo=UTC)
THREE = (CHECKOUT / "examples" / "three-servers.json").read_text(encoding="utf-8")


def signed(text: str, **options: object) -> tuple[MapPlan, list[StoredFinding]]:
    estate = read_estate(text)
    plan, _ = planned(RouteNetwork(estate), **options)
    findings = [StoredFinding.of(found) for found in lint(estate, NOW)]
    put_badges(plan, findings)
    return plan, findings


def words(plan: MapPlan) -> dict[Ref, str]:
    """The words of each thing that has a sign; a row is named by its first route."""
    things = [*plan.boxes.values(), *(cell for box in plan.boxes.values() for cell in box.cells), *plan.rows()]
    return {row.ref: str(row.sign.text) for row in things if row.sign}


def number(sign: Badge | None, severity: str) -> int:
    if sign is None or sign.severity != severity:
        return 0
    first = str(sign.text).split()[0]
    return int(first) if first.isdecimal() else 1


def findings_of(findings: list[StoredFinding], severity: str) -> list[StoredFinding]:
    return [found for found in findings if found.severity == severity]


def number_in(fragment: str) -> int:
    return int(fragment.split(">")[1].split(maxsplit=1)[0])


def test_a_sign_stands_at_the_thing_itself() -> None:
    plan, _ = signed(THREE)
    signs = words(plan)
    assert signs[route("shop", "Orders", "PostRoute")] == "error"
    assert signs[database("depot", "Printing")] == "error"  # replies from it get nowhere
    assert route("shop", "Orders", "AutoCreatedLocal") not in signs
    assert instance_ref("shop") not in signs


def test_every_error_is_counted_once() -> None:
    plan, findings = signed(THREE)
    parts = [*plan.boxes.values(), *(cell for box in plan.boxes.values() for cell in box.cells), *plan.rows()]
    assert sum(number(part.sign, "error") for part in parts) == len(findings_of(findings, "error")) > 0


def test_a_box_that_is_not_drawn_out_tells_of_all_in_it() -> None:
    plan, findings = signed(fan(200, every=3))
    assert not any(cell.sign or row.sign for box in plan.boxes.values() for cell in box.cells for row in cell.rows)
    assert sum(number(box.sign, "error") for box in plan.boxes.values()) == len(findings_of(findings, "error")) > 0


def test_long_names_leave_their_signs_room() -> None:
    name = "a route with a name that is longer than there is room for on any map"
    routes = [to("tcp://gone.example", "Service of some length, too", name=name), LOCAL]
    text = document(instance("one", with_routes("Base", *routes, services=["Own"])))
    plan, _ = signed(text)
    picture = assert_sound(plan)
    marks = {mark.ref: mark for mark in picture.marks()}
    mark = marks[route("one", "Base", name)]
    assert mark.symbol is not None
    assert mark.area.x < mark.symbol.x < mark.labels[-1].x
    assert mark.says.endswith("Found: warning.")
    assert "with-warning" in mark.look


@pytest.mark.django_db
def test_the_page_draws_them_and_the_file_too(client: Client) -> None:
    page = client.get("/map/?scenario=three-servers").content.decode()
    assert page.count('class="symbol"') == client.get("/map/map.svg?scenario=three-servers").content.decode().count(
        'class="symbol"'
    ) + len(["error", "warning"])
    assert 'Found: error."' in page


@pytest.mark.django_db
def test_a_database_says_how_many(client: Client) -> None:
    page = client.get("/map/findings/?scenario=three-servers&instance=shop&database=Orders").content.decode()
    whole = client.get("/map/findings/?scenario=three-servers&instance=shop").content.decode()
    assert 0 < number_in(page) <= number_in(whole)
    assert client.get("/map/findings/?scenario=three-servers&instance=shop&database=No").status_code == 404
