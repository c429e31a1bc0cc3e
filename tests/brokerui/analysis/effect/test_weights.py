"""The messages of the pipeline's newest result, by the rows of an effect."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from brokerui.analysis.effect.change import change_of
from brokerui.analysis.effect.effect import effect_of
from brokerui.analysis.effect.weights import weights_by_class
from brokerui.analysis.effect.wording import effect_in_words
from brokerui.analysis.traffic.models import Met, Run
from brokerui.changes.services import draft_create
from brokerui.estate.scenarios.selectors import scenario_get
from routing.classes.traffic_class import TrafficClass
from routing.model.edits import DropRoute
from tests.brokerui.estate.helpers import brought_in
from tests.strategies import AT

pytestmark = pytest.mark.django_db
LEDGER = "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d03"
ASK = "SQL/ServiceBroker/BrokerConfiguration"


def run_loaded(digest: str, *, job: str = "route", started_at: datetime = AT) -> Run:
    return Run.objects.create(
        digest=digest,
        job=job,
        folder="/somewhere",
        started_at=started_at,
        seconds=1,
        rows_in=1,
        rows_out=1,
        quarantined=0,
        record={},
        loaded_at=started_at,
        load_seconds=1,
    )


def met(run: Run, origin: tuple[str, str | None], service: str, messages: int, identifier: str | None = None) -> None:
    Met.objects.create(
        run=run,
        from_instance=origin[0],
        from_database=origin[1],
        to_service=service,
        to_broker_instance=identifier,
        is_reply=False,
        verdict="must_deliver",
        outcomes=[],
        rows=1,
        messages=messages,
        bytes=0,
    )


def test_rows_are_weighed_by_the_newest_result_and_sorted_by_it() -> None:
    brought_in(scenario_get("three-servers"))
    old, run = run_loaded("a" * 64), run_loaded("b" * 64, started_at=AT + timedelta(days=1))
    met(old, ("office", "Ledger"), ASK, 999)
    met(run, ("office", "Ledger"), ASK, 90)
    met(run, ("office", "Ledger"), ASK, 6)
    met(run, ("office", "Ledger"), "//example/ledger/Post", 7)
    met(run, ("office", "Ledger"), "//example/ledger/Archive", 8, LEDGER)
    met(run, ("shop", "Orders"), ASK, 5_000)
    edits = [DropRoute("office", "Ledger", "AskForRoutes")]
    draft = draft_create(name="No routes", author="ada", edits=edits)
    effect = effect_of(change_of(draft), AT).work(60)
    weights = effect.weights
    assert weights is not None
    by_class = weights_by_class(effect.vocabulary())
    assert by_class is not None
    assert by_class[("shop", "Orders"), TrafficClass(ASK, None, False)] == 5_000
    assert sum(by_class.values()) == 90 + 6 + 7 + 8 + 5_000
    weighed = {(row.verdict, row.service): weights.of_row(row) for row in effect.rows}
    assert weighed["worse", ASK] == 96
    assert weighed["better", "//example/ledger/Post"] == 7
    assert weighed["better", "//example/ledger/Archive"] == 8
    better = [row.service for row in effect.rows if row.verdict == "better"]
    assert better[:2] == ["//example/ledger/Archive", "//example/ledger/Post"]
    evidence = [str(sentence) for sentence in effect_in_words(effect).evidence]
    assert evidence[-1] == "The pipeline's newest result has 96 messages of it."


def test_without_a_result_of_traffic_nothing_is_weighed() -> None:
    brought_in(scenario_get("three-servers"))
    run_loaded("c" * 64, job="telemetry")
    draft = draft_create(name="Post", author="ada", edits=[DropRoute("shop", "Orders", "PostRoute")])
    effect = effect_of(change_of(draft), AT).work(60)
    assert effect.weights is None
    assert weights_by_class(effect.vocabulary()) is None
    assert effect.rows
