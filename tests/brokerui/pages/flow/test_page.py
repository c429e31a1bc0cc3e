"""The page of the flow: what it says, what it draws, where its streams lead."""

from __future__ import annotations

import csv
import io
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.analysis.reachability.test_page import figure
from tests.brokerui.estates import EVERY_KIND, HOSTILE, HOSTILE_ESTATE, fan

BALANCED = "/flow/?scenario=5-load-balancing"


@pytest.fixture
def kinds(db: Any) -> str:
    return scenario_create(title="kinds", text=EVERY_KIND)[0].name


def streams(response: Any) -> set[tuple[str, str, float]]:
    (trace,) = figure(response, "flow")["data"]
    label, link = trace["node"]["label"], trace["link"]
    return {
        (label[source], label[target], value)
        for source, target, value in zip(link["source"], link["target"], link["value"], strict=True)
    }


def rows_of(response: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


def test_every_way_of_a_choice_is_drawn(client: Client) -> None:
    page = client.get(BALANCED)
    assert "2 ways from 1 origin by 2 next hops to 2 ends." in page.content.decode()
    assert streams(page) == {
        ("headquarters/AdventureWorks", "server1", 1),
        ("headquarters/AdventureWorks", "server2", 1),
        ("server1", "● server1/Balanced", 1),
        ("server2", "● server2/Balanced", 1),
    }


def test_every_kind_of_end_has_its_place(client: Client, kinds: str) -> None:
    page = client.get(f"/flow/?scenario={kinds}")
    assert "may arrive or not" in page.content.decode()
    ends = {target for _, target, _ in streams(page)}
    assert {"● a/Depot", "✕ Dropped: forwarding is off", "▶ Exits to gone.example:4022"} <= ends


def test_a_stream_of_one_way_leads_to_its_explanation(client: Client) -> None:
    page = client.get(BALANCED).content.decode()
    target = "/where/?scenario=5-load-balancing&from=headquarters%2FAdventureWorks&to=BalancedService"
    assert target in unescape(page)
    assert "/routes/?scenario=5-load-balancing&q=instance%3Aheadquarters+database%3AAdventureWorks" in unescape(page)


@pytest.mark.parametrize(
    ("q", "ways"),
    [
        ("", 3),
        ("service:sh*", 3),
        ("service:Sh", 0),
        ("from:hub", 3),
        ("from:hub/Sales", 3),
        ("via:a", 1),
        ("to:a/Depot", 1),
        ("to:a", 1),
        ("instance:b", 1),
        ("outcome:exits", 1),
        ("-outcome:exits", 2),
        ("gone", 1),
        ("outcome:dropped via:a", 0),
    ],
)
def test_filters(client: Client, kinds: str, q: str, ways: int) -> None:
    q = f"service:Ship {q}"  # the other one expires
    assert len(rows_of(client.get("/flow/flow.csv", {"scenario": kinds, "q": q}))) == ways
    assert client.get("/flow/", {"scenario": kinds, "q": q}).status_code == 200


def test_every_narrower_filter_leaves_its_stream(client: Client) -> None:
    """What a stream of several ways leads to has exactly as many."""
    name = scenario_create(title="fan", text=fan(120))[0].name
    page = client.get(f"/flow/?scenario={name}&q=service:Price")
    lines = [line for line in page.context["lines"] if line.ways > 1]
    assert lines
    for line in lines:
        narrower = client.get("/flow/" + line.url).context["count"]
        assert narrower >= line.ways
        if "more" not in line.source + line.target:
            assert narrower == line.ways


def test_a_filter_that_cannot_be(client: Client) -> None:
    page = client.get(f"{BALANCED}&q=outcome:lost")
    assert page.status_code == 400
    assert "outcome: takes delivered, exits, delayed, dropped" in page.content.decode()
    assert client.get("/flow/flow.csv?scenario=5-load-balancing&q=nosuch:x").status_code == 404


def test_nothing_fits(client: Client) -> None:
    assert b"Nothing matches" in client.get(f"{BALANCED}&q=zzz").content
    assert b"No route names a service" in client.get("/flow/?scenario=1-default").content


def test_routes_of_msdb_alone_are_for_what_comes_from_outside(client: Client) -> None:
    page = client.get("/flow/?scenario=4-everything-external").content.decode()
    assert "No route names a service where conversations begin" in page
    assert 'href="?scenario=4-everything-external&amp;outside=1"' in page
    assert 'id="flow-figure"' in client.get("/flow/?scenario=4-everything-external&outside=1").content.decode()
    assert b"The live estate is empty" in client.get("/flow/").content


def test_from_outside_only_where_it_is_asked_for(client: Client) -> None:
    inside = rows_of(client.get("/flow/flow.csv?scenario=6-forward-one-service"))
    both = rows_of(client.get("/flow/flow.csv?scenario=6-forward-one-service&outside=1&system=1"))
    assert all(row["database"] not in ("", "msdb") for row in inside)
    assert any(not row["database"] for row in both)


def test_hostile_names_stay_text(client: Client) -> None:
    name = scenario_create(title="hostile", text=HOSTILE_ESTATE)[0].name
    page = client.get(f"/flow/?scenario={name}")
    assert page.status_code == 200
    assert HOSTILE not in page.content.decode()
    assert not any("<script" in text for place in streams(page) for text in place[:2])
    for line in page.context["lines"]:
        assert client.get(line.url if line.url.startswith("/") else "/flow/" + line.url).status_code == 200
        if line.source_url:
            assert client.get(line.source_url).status_code == 200


def test_strangers_see_nothing(stranger: Client) -> None:
    assert stranger.get("/flow/").status_code == 302
    assert stranger.get("/flow/flow.csv").status_code == 302
