"""Reachability, flow and differentials say what their verdicts hang on and do not show."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.reachability.caveats import MOST, caveats_of, caveats_say
from brokerui.analysis.reachability.matrix import matrix_of
from brokerui.estate.scenarios.services import scenario_create
from routing.classes.reachability import service_names
from routing.common.moment import parse_moment
from routing.documents.estate_document import read_estate
from tests.brokerui.cli.command_line import call_with, written

AT = parse_moment("2026-11-01T00:00:00Z")
ASKED = "aaaaaaaa-0000-4000-8000-000000000001"
OTHER = "bbbbbbbb-0000-4000-8000-000000000002"
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}


def route(service: str, address: str, **more: Any) -> dict[str, Any]:
    return {"name": f"To{service}", "remote_service_name": service, "address": address, **more}


def estate(
    identifier: str | None = None, role: str | None = None, missing: bool = False, **first: Any
) -> dict[str, Any]:
    """shop/Orders has a route to Out, of the database ASKED, at the same instance."""
    routes = [LOCAL, route("Out", "LOCAL", broker_instance=ASKED), *first.get("routes", ())]
    orders = {"name": "Orders", "services": ["Mine"], "routes": routes}
    stock = {
        "name": "Stock",
        "broker_instance": identifier,
        "mirroring_role": role,
        "services": ["Out"],
        "routes": [LOCAL],
    }
    shop: dict[str, Any] = {"name": "shop", "addresses": ["tcp://shop:4022"], "databases": [orders, stock]}
    if missing:
        shop["missing_statements"] = [{"statement": "CREATE ROUTE", "object": "Gone", "file": "s.sql", "line": 7}]
    return {"format": "brokerui.estate/1", "instances": [shop]}


UNKNOWN = (
    "1 pair that does not arrive hangs on an identifier or a mirroring role that is not known; shop/Orders to Out:"
)
IF_IT_IS = f"{UNKNOWN} Delivered to Stock on shop if its identifier is {ASKED}; its identifier is not known."
MACHINE = (
    "1 pair goes to an address of the sender's own machine; shop/Orders to Far: tcp://localhost:4023 is the machine of"
)
MISSING = "1 statement of the scripts of shop is missing in this estate, CREATE ROUTE Gone (s.sql:7); answers about"
HERE = {"routes": [route("Far", "tcp://localhost:4023")]}


def text_of(client: Client, page: str, document: dict[str, Any]) -> str:
    name = scenario_create(title="caveats", text=json.dumps(document))[0].name
    return re.sub(r"\s+", " ", unescape(client.get(f"/{page}/?scenario={name}").content.decode()))


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["reachability", "flow"])
@pytest.mark.parametrize(
    ("document", "says"), [(estate(), IF_IT_IS), (estate(**HERE), MACHINE), (estate(missing=True), MISSING)]
)
def test_the_pages_say_it(client: Client, page: str, document: dict[str, Any], says: str) -> None:
    assert says in text_of(client, page, document)


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["reachability", "flow"])
@pytest.mark.parametrize("document", [estate(ASKED), estate(OTHER)])
def test_what_is_known_needs_no_word(client: Client, page: str, document: dict[str, Any]) -> None:
    text = text_of(client, page, document)
    assert 'class="caveat"' not in text
    assert "own machine" not in text


@pytest.mark.django_db
def test_the_cell_of_a_pair_says_it_and_is_no_alarm(client: Client) -> None:
    text = text_of(client, "reachability", estate(**HERE))
    assert "Always delayed: unless an identifier or a mirroring role that is not known is the right one" in text
    assert "Always exits: to an address of the sender's own machine" in text
    assert "▲?</span>" in text
    assert 'class="card verdict warn"' in text
    assert "\\u003Cbr\\u003Eunless an identifier" in text, "the chart as well"


def test_what_is_tried_is_bounded() -> None:
    routes = [route(f"S{number}", "LOCAL", broker_instance=ASKED) for number in range(MOST + 50)]
    services = [f"S{number}" for number in range(MOST + 50)]
    databases = [
        {"name": "Orders", "routes": routes},
        {"name": "Stock", "services": services, "routes": [LOCAL]},
    ]
    document = {"format": "brokerui.estate/1", "instances": [{"name": "shop", "databases": databases}]}
    found = read_estate(json.dumps(document))
    matrix = matrix_of(found, AT, service_names(found))
    caveats = caveats_of(matrix, found, AT, {(node, name) for node, name, _ in matrix.ways})
    assert len(caveats.hanging) == MOST
    (sentence,) = caveats_say(caveats, matrix, found)
    assert str(sentence).startswith(f"{MOST} pairs that do not arrive hang on")


def test_a_differential_says_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = call_with(capsys, monkeypatch)
    before = estate()
    before["instances"][0]["databases"][0]["routes"] = [LOCAL]
    files = written(tmp_path, "b.json", before), written(tmp_path, "a.json", estate(missing=True, **HERE))
    text, remark = call("diff", *files)[1:]
    assert (
        f"\n  unless  Delivered to Stock on shop if its identifier is {ASKED}; its identifier is not known.\n" in text
    )
    assert (
        "\n  there   tcp://localhost:4023 is the machine of shop; no instance of the estate is known to listen" in text
    )
    assert remark.startswith(MISSING)
    assert call("diff", *files, "--format", "json").err == remark
