"""Remedies are tried before they are offered: none leaves its finding as it was, and harm is reported."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from brokerui.analysis.remedies.wording import remedy_says
from routing.common.finding import Finding
from routing.diff.run import compare
from routing.documents.estate_document import read_estate
from routing.lint.registry import lint
from routing.lint.remedy import alter_endpoint
from routing.model.edits import PutRoute
from routing.model.estate import Estate
from routing.remedies.applying import applied, with_msdb
from routing.remedies.trial import RemedyTrial, TrialVerdict, try_remedy
from routing.tsql import ScriptGroup, read_scripts
from tests.routing.example_helpers import example
from tests.routing.small import database, estate, host, to
from tests.strategies import AT, estates

ID, OTHER = "6f3f0d5e-0000-4000-8000-000000000001", "6f3f0d5e-0000-4000-8000-000000000002"


def tried(where: Estate, code: str) -> tuple[Finding, RemedyTrial]:
    found = next(one for one in lint(where, AT) if one.code == code)
    trial = try_remedy(where, found, AT)
    assert trial is not None
    return found, trial


@settings(deadline=None)
@given(estates())
def test_no_remedy_that_is_offered_leaves_its_finding_or_hides_what_gets_worse(document: dict[str, Any]) -> None:
    """Lint and the differential of all traffic say the same of the remedy as the trial does."""
    where = read_estate(json.dumps(document))
    for found in lint(where, AT):
        trial = try_remedy(where, found, AT)
        if trial is None or not trial.is_offered:
            continue
        assert trial.verdict is TrialVerdict.MENDS  # the engine can run each that lint proposes
        before = with_msdb(where, str(found.instance))
        after = applied(before, str(found.instance), str(found.remedy_sql), AT)
        assert after is not None
        assert replace(found, remedy_sql=None) not in [replace(one, remedy_sql=None) for one in lint(after, AT)]
        worse = compare(before, after, AT).intended["worse"]
        assert sum(effect.count for effect in trial.worse) == worse


@settings(deadline=None)
@given(estates())
def test_a_large_estate_is_told_the_same_of_a_remedy_that_touches_few_names(document: dict[str, Any]) -> None:
    where = read_estate(json.dumps(document))
    for found in lint(where, AT)[:5]:
        small, large = (try_remedy(where, found, AT, compared=limit, most_names=1_000) for limit in (1_000, 0))
        assert small == large


@pytest.mark.parametrize("name", ["2-network-route", "three-servers"])
def test_remedies_of_the_examples_deliver(name: str) -> None:
    for found in lint(example(name), AT):
        trial = try_remedy(example(name), found, AT)
        assert trial is not None
        assert trial.is_offered
        assert any(effect.delivers for effect in trial.better)
        assert not trial.worse


def test_of_a_remedy_that_touches_many_names_only_conversations_that_it_is_about_are_asked() -> None:
    where = example("2-network-route")
    found = next(one for one in lint(where, AT) if one.remedy_sql)
    trial = try_remedy(where, found, AT, compared=0, most_names=0)
    assert trial is not None
    assert (trial.is_complete, trial.is_offered) == (False, True)


def test_forwarding_is_switched_on_though_no_estate_knows_the_name_of_an_endpoint() -> None:
    sender = host("a", database("D", "Order", routes=[to("LOCAL"), to("b", "Parts")]), outside=[to("LOCAL")])
    hub = host("b", outside=[to("c", "Parts")], forwarding=False)
    target = host("c", database("E", "Parts", routes=[to("a", "Order")]), outside=[to("LOCAL")])
    _, trial = tried(estate(sender, hub, target), "forwarding-off")
    assert trial.verdict is TrialVerdict.MENDS
    assert [(e.node, {end.detail for end in e.after}) for e in trial.better if e.node[0] == "a"] == [
        (("a", "D"), {"E"})
    ]


ENDPOINT = {"port": 4023, "state": "STARTED", "encryption": "REQUIRED", "authentication": "WINDOWS", "forward_size": 10}


@pytest.mark.parametrize(
    ("change", "endpoint"),
    [
        ("STATE = STARTED", {**ENDPOINT, "state": "STOPPED"}),
        ("AS TCP (LISTENER_PORT = 4022)", ENDPOINT),
        ("FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED)", ENDPOINT),
    ],
)
def test_a_change_of_the_endpoint_is_made_as_it_says(change: str, endpoint: dict[str, Any]) -> None:
    where = estate(host("a", database("D", "S"), endpoint=endpoint, forwarding=False))
    after = applied(where, "a", alter_endpoint(change), AT)
    assert after is not None
    made = after.instances["a"]
    assert made.endpoint is not None
    wanted = {"STATE": made.endpoint.state == "STARTED", "AS": made.endpoint.port == 4022, "FOR": made.forwarding}
    assert wanted[change.split(" ", maxsplit=1)[0]]


def test_a_change_of_an_endpoint_that_is_not_known_is_not_tried() -> None:
    assert applied(estate(host("a")), "a", alter_endpoint("STATE = STARTED"), AT) is None


def test_a_route_to_its_own_instance_is_not_made_local_where_that_would_lose_what_is_delivered() -> None:
    """Its identifier is that of no known database: msdb finds the service by name, LOCAL does not."""
    script = """
        CREATE DATABASE [A]; CREATE DATABASE [C];
        GO
        USE [A]; CREATE QUEUE q; CREATE SERVICE [AOut] ON QUEUE q;
        CREATE ROUTE [ToC] WITH SERVICE_NAME = N'CIn', BROKER_INSTANCE = N'cccccccc-0000-4000-8000-000000000003',
          ADDRESS = N'tcp://one:4022';
        GO
        USE [C]; CREATE QUEUE q; CREATE SERVICE [CIn] ON QUEUE q;
        CREATE ROUTE [ToA] WITH SERVICE_NAME = N'AOut', ADDRESS = N'LOCAL';
    """
    where, _ = read_scripts([ScriptGroup("one", None, [("one.sql", script)])], at=AT)
    found, trial = tried(where, "own-address")
    assert found.remedy_sql is not None
    assert trial.verdict is TrialVerdict.FAILS


def test_a_port_is_not_corrected_to_an_instance_without_the_service() -> None:
    sender = host("a", database("D", "Order", routes=[to("LOCAL"), {**to("b"), "address": "tcp://b:1433"}]))
    where = estate(sender, host("b", database("E", "Parts"), outside=[to("LOCAL")]))
    route = replace(where.instances["a"].databases["D"].table.routes["R1"], remote_service_name="Audit")
    changed = where.edited([PutRoute("a", "D", route)])
    for found in lint(changed, AT):
        if found.code == "wrong-port" and found.remedy_sql:
            trial = try_remedy(changed, found, AT)
            assert trial is not None
            assert trial.verdict is TrialVerdict.FAILS


@pytest.mark.parametrize(("outside", "verdict"), [([], "worse"), ([to("LOCAL")], "moved")])
def test_what_ends_worse_or_elsewhere_is_told_beside_what_gets_better(outside: list[Any], verdict: str) -> None:
    """A way back for a service whose name the target's own database has, too: its own conversations go astray."""
    sender = database("D", "Order", routes=[to("LOCAL"), to("b", "Parts")], broker_instance=ID)
    target = database("E", "Parts", "Order", routes=[to("LOCAL")], broker_instance=OTHER)
    where = estate(host("a", sender, outside=outside), host("b", target, outside=[to("LOCAL")]))
    found, trial = tried(where, "no-return-route")
    assert trial.is_offered
    assert any(effect.delivers and effect.traffic.is_reply for effect in trial.better)
    others = trial.worse if verdict == "worse" else trial.moved
    assert any(effect.node == ("b", "E") and effect.traffic.to_broker_instance is None for effect in others)
    gain, harm = remedy_says(trial, found)
    assert str(gain).startswith("With it, replies from E on b to Order are delivered in D on a")
    assert str(harm).startswith("But conversations from E on b to Order end")


def test_on_a_large_estate_only_the_conversations_it_is_about_are_asked() -> None:
    where = example("three-servers")
    for found in lint(where, AT):
        whole, nearby = try_remedy(where, found, AT), try_remedy(where, found, AT, compared=0, most_names=0)
        assert whole is not None
        assert nearby is not None
        assert (whole.verdict, whole.is_complete, nearby.is_complete) == (nearby.verdict, True, False)
        assert any(effect.delivers for effect in nearby.better)


def test_a_finding_without_a_remedy_is_not_tried() -> None:
    found = lint(example("three-servers"), AT)[0]
    assert try_remedy(example("three-servers"), replace(found, remedy_sql=None), AT) is None
    assert try_remedy(example("three-servers"), replace(found, remedy_sql="SELECT 1 +"), AT) is not None
