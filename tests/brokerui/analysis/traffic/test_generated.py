"""Traffic that is generated for the live estate: asked for, drawn, compared, marked, and kept apart from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.test import Client

from brokerui.analysis.effect.weights import latest_run
from brokerui.analysis.traffic.generated import generated_commands
from brokerui.analysis.traffic.jobs import PipelineCommand
from brokerui.analysis.traffic.models import Round, RoundState, Run
from brokerui.analysis.traffic.rounds import KEPT, round_ask, round_ask_generated, rounds_prune
from brokerui.analysis.traffic.services import gold_load
from brokerui.analysis.traffic.simulated_day import SimulatedDay, day_write
from brokerui.changes.services import draft_create
from brokerui.core.jobs.kinds import PIPELINE
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.running import run_next
from brokerui.estate.models import AuditEntry
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from routing.model.edits import DropRoute
from routing.simulation.estate_day import DayPlan
from tests.brokerui.analysis.traffic.golds import replayed
from tests.brokerui.estates import LOCAL, database, document, instance, to

pytestmark = pytest.mark.django_db
ASKED_AT = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
OFFER = "Try it on generated traffic"


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """Where rounds write; there is neither an event log nor a folder of traffic."""
    settings.EVENT_LOG, settings.TRAFFIC_FOLDER = False, ""
    settings.PIPELINE_FOLDER = tmp_path / "pipeline"
    return tmp_path / "pipeline" / "generated"


def two_servers(*routes: Any) -> str:
    return document(
        instance("shop", database("Orders", LOCAL, *routes, services=("Buy",)), database("msdb", LOCAL)),
        instance("depot", database("Stock", LOCAL, to("tcp://shop:4022", "Buy"), services=("Ship",))),
    )


@pytest.fixture
def version_2() -> None:
    """A live estate whose last version got its route."""
    for number, routes in enumerate(((), (to("tcp://depot:4022", "Ship"),))):
        estate_import(estate=read_estate(two_servers(*routes)), author="ann", base_version=number)


def named(commands: Sequence[PipelineCommand | SimulatedDay]) -> list[tuple[str, ...]]:
    """Each step with the names of the documents that it reads."""
    found = []
    for one in commands:
        arguments = one.arguments if isinstance(one, PipelineCommand) else ()
        found.append((one.name, *(Path(value).name for value in arguments if value.endswith(".json"))))
    return found


# -- Asking -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("version_2")
def test_an_operator_has_a_day_drawn_with_one_click(operator: Client, viewer: Client) -> None:
    assert OFFER in operator.get("/traffic/").content.decode()
    assert "/traffic/rounds/generated/" not in viewer.get("/traffic/").content.decode()
    assert operator.post("/traffic/rounds/generated/").headers["Location"] == "/traffic/"
    one = Round.objects.get()
    assert (one.is_generated, one.asked_by, one.state) == (True, "operator", RoundState.WAITING)
    assert [entry.action for entry in AuditEntry.objects.filter(author="operator")] == ["pipeline.generate"]
    text = operator.get("/traffic/").content.decode()
    assert "generated traffic</span>" in text
    assert OFFER not in text, "one round at a time"
    assert "generated traffic" in operator.get("/jobs/").content.decode()


def test_without_an_instance_there_is_nothing_to_try(operator: Client) -> None:
    text = operator.get("/traffic/").content.decode()
    assert OFFER not in text
    assert 'href="/imports/"' in text
    answer = operator.post("/traffic/rounds/generated/", follow=True).content.decode()
    assert "there is nowhere that traffic could begin" in answer
    assert not Round.objects.exists()


@pytest.mark.usefixtures("version_2")
def test_while_another_round_is_open_it_is_refused_in_words(operator: Client, settings: Any) -> None:
    settings.TRAFFIC_FOLDER = "/traffic"
    round_ask(author="ann")
    answer = operator.post("/traffic/rounds/generated/", follow=True).content.decode()
    assert (
        f"Round {Round.objects.get().pk} of the pipeline waits or runs already, and no other one was started." in answer
    )
    assert [one.is_generated for one in Round.objects.all()] == [False]


def test_generated_rounds_push_out_no_others() -> None:
    now = {"asked_at": ASKED_AT, "asked_by": "ann", "state": RoundState.DONE}
    own = Round.objects.create(**now)
    Round.objects.bulk_create(Round(is_generated=True, **now) for _ in range(KEPT + 3))
    rounds_prune()
    assert Round.objects.filter(pk=own.pk).exists()
    assert Round.objects.filter(is_generated=True).count() == KEPT


# -- Drawing and comparing ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("version_2")
def test_without_a_draft_the_last_version_is_compared_with_the_one_before(folder: Path) -> None:
    commands = generated_commands(ASKED_AT, seed=7)
    assert named(commands) == [
        ("generate", "version-2.json"),
        ("route", "version-2.json"),
        ("replay", "version-1.json", "version-2.json"),
        ("simulate",),
        ("telemetry", "version-2.json"),
    ]
    jobs = [one for one in commands if isinstance(one, PipelineCommand)]
    assert [one.is_loaded for one in jobs] == [False, True, True, True]
    words = jobs[0].arguments
    assert words[words.index("--seed") + 1] == "7"
    assert words[words.index("--start") + 1] == "2026-03-01", "the day before it was asked for"
    assert [(folder / f"version-{number}.json").read_text().count("tcp://depot:4022") for number in (1, 2)] == [1, 3]


@pytest.mark.usefixtures("version_2")
def test_the_newest_draft_is_compared_with_what_it_was_made_on() -> None:
    drop = DropRoute("shop", "Orders", "To tcp://depot:4022")
    draft = draft_create(name="less", author="ann", edits=[drop])
    draft_create(name="empty", author="ann")
    assert named(generated_commands(ASKED_AT, seed=1))[2] == ("replay", "version-2.json", f"draft-{draft.id}.json")


def test_a_first_version_has_nothing_to_be_compared_with() -> None:
    estate_import(estate=read_estate(two_servers()), author="ann")
    assert [name for name, *_ in named(generated_commands(ASKED_AT, seed=1))] == [
        *("generate", "route", "simulate", "telemetry")
    ]


def test_a_simulated_day_is_an_event_log_and_replaces_the_one_before(tmp_path: Path) -> None:
    plan = DayPlan(estate=read_estate(two_servers()), seed=3, start_ms=1_772_323_200_000, conversations=20)
    day = SimulatedDay("simulate", plan, tmp_path / "events")
    for _ in range(2):
        heard: list[int] = []
        events, conversations = day_write(day, heard.append)
        assert (heard[-1], conversations) == (events, 20)
        assert sum(pq.read_table(path).num_rows for path in day.out.glob("date=*/*.parquet")) == events


def test_a_day_that_is_stopped_leaves_no_log(tmp_path: Path) -> None:
    plan = DayPlan(estate=read_estate(two_servers()), seed=3, start_ms=1_772_323_200_000, conversations=20)

    def stop(_events: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        day_write(SimulatedDay("simulate", plan, tmp_path / "events"), stop)
    assert list((tmp_path / "events").glob("date=*")) == []


# -- The results --------------------------------------------------------------------------------------------


def test_a_generated_result_is_marked_and_says_what_it_compared(viewer: Client, tmp_path: Path) -> None:
    run = gold_load(str(replayed(tmp_path / "gold")), is_generated=True).run
    run.record["arguments"] = {"baseline": "/x/version-2.json", "proposed": "/x/draft-3.json"}
    run.save()
    text = viewer.get(f"/traffic/{run.pk}/").content.decode()
    assert "It is not what applications sent." in text
    assert "Before: version 2." in text
    assert 'After: <a href="/changes/3/">draft 3</a>.' in text
    assert "generated</span>" in viewer.get("/traffic/").content.decode()


def test_generated_results_neither_weigh_an_effect_nor_push_out_others(settings: Any, tmp_path: Path) -> None:
    settings.RESULTS_KEEP = 1
    own = gold_load(str(replayed(tmp_path / "own", started="2026-03-01T12:00:00Z"))).run
    Run.objects.update(job="route")
    for day in ("02", "03"):
        gold_load(str(replayed(tmp_path / day, started=f"2026-03-{day}T12:00:00Z")), is_generated=True)
    assert Run.objects.filter(is_generated=True).count() == 1
    Run.objects.update(job="route")
    assert latest_run() == own


@pytest.mark.thorough("three jobs of Spark, a minute of processor time; each of them has its own tests")
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("version_2")
def test_a_whole_round_on_generated_traffic() -> None:
    round_ask_generated(author="ann")
    assert run_next(PIPELINE)
    one = Round.objects.get()
    assert (one.state, one.error) == (RoundState.DONE, "")
    assert Job.objects.get().state == JobState.DONE
    assert [(step["name"], step["is_done"]) for step in one.steps] == [
        ("generate", True),
        ("route", True),
        ("replay", True),
        ("simulate", True),
        ("telemetry", True),
    ]
    rows = {run.job: (run.is_generated, run.rows_in) for run in Run.objects.all()}
    assert rows["replay"] == rows["route"] == (True, 100_000)
    assert rows["telemetry"] == (True, one.steps[3]["events"])
