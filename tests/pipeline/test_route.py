"""`pipeline route`: row by row what the rules say, under the estate of the row's own time."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from brokerui.analysis.traffic.models import File, Link, Met
from brokerui.analysis.traffic.services import gold_load
from pipeline.evaluation.timeline import load_timeline
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.jobs.previous_result import previous_result
from pipeline.jobs.progress import STAGES
from pipeline.jobs.route import RouteOptions, route
from pipeline.lake.lake import Lake
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings
from pipeline.schemas import COLUMNS
from routing.common.errors import InputError
from routing.common.moment import parse_moment
from routing.rules.verdict import verdict
from tests.brokerui.cli.command_line import start
from tests.extent import IS_ALL
from tests.pipeline.delta_tables import rows_of
from tests.pipeline.estates import NOON, TO_PARTS, document, row, written
from tests.pipeline.estates import route as a_route
from tests.pipeline.parity import (
    answered,
    as_outcomes,
    history_and_rows,
    without_nulls,
    write_history,
    write_traffic,
)

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
PARTS = {"outcome": "delivered", "instance": "host2", "database": "Parts"}
pytestmark = pytest.mark.usefixtures("spark")


def routed(estate: str, traffic: str, out: Path) -> tuple[JobRun, dict[str, Json]]:
    """The run, and what it wrote by conversation."""
    run = route(RouteOptions(estate, traffic, str(out)), SETTINGS)
    return run, {one["conversation_id"]: one for one in rows_of(out)}


def quarantined(out: Path) -> list[Json]:
    folder = out / "_quarantine"
    return rows_of(folder) if folder.exists() else []


def run_and_rows(tmp_path: Path, estate: Json, *rows: Json) -> tuple[JobRun, dict[str, Json]]:
    traffic = written(tmp_path / "in" / "t.jsonl", list(rows))
    return routed(written(tmp_path / "estate.json", estate), traffic, tmp_path / "out")


# ---------------------------------------------------------------- parity


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    "through_a_lake",
    [False, pytest.param(True, marks=pytest.mark.thorough("replay reads a lake in `make test`"))],
    ids=["files", "lake"],
)
def test_every_row_has_the_outcomes_of_the_rules_at_its_time(tmp_path: Path, through_a_lake: bool) -> None:
    """Hundreds of random estates, each in force for a moment; routes expire in between."""
    history, rows = history_and_rows(random.Random(random.getrandbits(64)))
    traffic = write_traffic(rows, tmp_path / "traffic")
    if through_a_lake:
        ingest(IngestOptions(traffic, str(tmp_path / "lake")), SETTINGS)
        traffic = str(tmp_path / "lake")
    run, found = routed(write_history(history, tmp_path / "history"), traffic, tmp_path / "out")
    expected = {one["conversation_id"]: answered(history.at(parse_moment(one["at"])), one) for one in rows}
    known = {key: ends for key, ends in expected.items() if ends is not None}
    assert {key: without_nulls(one["outcomes"]) for key, one in found.items()} == known
    assert all(one["verdict"] == verdict(as_outcomes(one["outcomes"])) for one in found.values())
    assert len({one["verdict"] for one in found.values()}) >= 4
    assert {one["reason"] for one in quarantined(tmp_path / "out")} == {"unknown_entry"}
    assert run.counts == {"in": len(rows), "out": len(known), "quarantined": len(rows) - len(known)}
    assert min(len(known), len(rows) - len(known)) > 100


@pytest.mark.thorough("both are compared with the rules, hundreds of estates with each")
def test_it_is_what_brokerui_outcomes_says(tmp_path: Path) -> None:
    """A sample of one estate, through both commands."""
    history, rows = history_and_rows(random.Random(7))
    estate = written(tmp_path / "estate.json", history.documents[0])
    mine = [one for one in rows if answered(history.estates[0], {**one, "at": NOON}) is not None]
    mine = [{**one, "at": NOON} for one in mine]
    _, found = routed(estate, write_traffic(mine, tmp_path / "traffic"), tmp_path / "out")
    lines = [_as_conversation(one) for one in mine]
    result = start("outcomes", estate, "-", "--at", NOON, stdin="\n".join(map(json.dumps, lines)).encode())
    entries = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(entries) == len(mine) > 10
    assert {one["id"]: one["outcomes"] for one in entries} == {
        key: without_nulls(one["outcomes"]) for key, one in found.items()
    }


def _as_conversation(one: Json) -> Json:
    keys = ("to_service", "to_broker_instance", "is_reply")
    entry = {"outside": one["from_instance"]}
    if one["from_database"] is not None:
        entry = {"instance": one["from_instance"], "database": one["from_database"]}
    return {"id": one["conversation_id"], "from": entry, **{key: one[key] for key in keys}}


# ---------------------------------------------------------------- time


def test_a_row_is_answered_by_the_version_and_the_lifetimes_of_its_moment(tmp_path: Path) -> None:
    """Before the first version there was none, and a lifetime beyond the end of its version is none of its moments."""
    versions = [
        ("2026-01-01T00:00:00Z", document()),
        (NOON, document({**TO_PARTS, "lifetime": "2027-01-01T00:00:00Z"})),
        ("2026-06-01T00:00:00Z", document({**TO_PARTS, "lifetime": "2026-07-01T12:00:00Z"})),
    ]
    for number, (since, estate) in enumerate(versions):
        written(tmp_path / "history" / f"version-{number:06}.json", {**estate, "valid_from": since})
    moments = ("2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-03-01T11:59:59Z", NOON)
    moments += ("2026-07-01T11:59:59.999999Z", "2026-07-01T12:00:00Z", "2028-01-01")
    traffic = written(tmp_path / "t.jsonl", [row(n, at=at) for n, at in enumerate(moments)])
    run, found = routed(str(tmp_path / "history"), traffic, tmp_path / "out")
    verdicts = ("delayed", "delayed", "must_deliver", "must_deliver", "delayed", "delayed")
    assert {key: one["verdict"] for key, one in found.items()} == {f"c{n}": one for n, one in enumerate(verdicts, 1)}
    assert run.reasons == {"unknown_entry": 1}
    early = {"rows": 1, "messages": 2, "since": "2026-01-01T00:00:00+00:00", "changes": {}}
    assert (run.extra["before_estate"], run.extra["not_in_estate"]) == (early, {})
    assert [line.partition(":")[0] for line in run.summary_lines] == [
        "1 row is older than the first version of the estate (2026-01-01T00"
    ]
    assert [(one["file"], one["position"]) for one in quarantined(tmp_path / "out")] == [(traffic, 1)]
    assert (run.extra["estates"], run.extra["intervals"]) == (3, 5)


# ---------------------------------------------------------------- the form of the result


class Routed(NamedTuple):
    """One estate and rows of several kinds: what a run said of them, and where it wrote."""

    run: JobRun
    found: dict[str, Json]
    folder: Path


AWAY = [a_route(name, f"tcp://{name}.example", "Away") for name in ("b", "a")]
GOOD = [row(1), row(1), row(2, is_reply=None), *(row(n) for n in range(3, 50)), row(50, to_service="Entry")]
GOOD.append(row(60, to_service="Away"))
BAD = [row(51, at="soon"), row(52, from_instance="host9"), row(53, messages=-1), row(54, to_service="")]


# Tests with a database run apart from those without, so that the module is come to twice.
@pytest.fixture(scope="session")
def one_run(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Routed:
    folder = tmp_path_factory.mktemp("one")
    return Routed(*run_and_rows(folder, document(TO_PARTS, *AWAY), *GOOD, *BAD), folder)


def test_a_row_of_output_for_each_row_of_input_with_its_columns(one_run: Routed) -> None:
    run, found, folder = one_run
    table = pq.read_table(folder / "out")
    assert table.column_names == [*COLUMNS, "outcomes", "verdict"]
    assert table.num_rows == len(GOOD)  # routing does not look for rows that came twice
    assert without_nulls(found["c2"]["outcomes"]) == [PARTS]
    assert (found["c2"]["messages"], found["c2"]["bytes"], found["c2"]["is_reply"]) == (2, 100, False)
    assert run.counts == {"in": len(GOOD) + len(BAD), "out": len(GOOD), "quarantined": len(BAD)}


def test_the_record_says_what_ran_on_what(one_run: Routed) -> None:
    record = json.loads((one_run.folder / "out" / "_run.json").read_text())
    assert record["job"] == "route"
    assert (record["counts"], record["reasons"]) == (one_run.run.counts, one_run.run.reasons)
    assert (record["before_estate"], record["not_in_estate"]) == ({}, {"rows": 1, "messages": 2})
    assert record["arguments"]["traffic"] == str(one_run.folder / "in" / "t.jsonl")
    assert record["versions"]["spark"].startswith("4.")
    assert record["seconds"] > 0


def test_counters_of_reasons_add_up(one_run: Routed) -> None:
    reasons = one_run.run.reasons
    assert reasons == {"bad_at": 1, "bad_messages": 1, "bad_to_service": 1, "unknown_entry": 1}
    assert Counter(one["reason"] for one in quarantined(one_run.folder / "out")) == reasons


def test_counts_come_by_class_not_by_row_in_questions(one_run: Routed) -> None:
    """The engine is asked once for all rows that are alike: to Stock, to Entry, to Away, and from an unknown
    instance."""
    assert one_run.run.extra["questions"] == 4


def test_the_stages_of_progress_are_those_that_the_job_records(one_run: Routed) -> None:
    assert one_run.run.finished_phases == set(STAGES["route"])


def test_several_outcomes_stand_in_the_order_of_the_interface(one_run: Routed) -> None:
    found = one_run.found["c60"]
    assert [one["address"] for one in found["outcomes"]] == ["tcp://a.example:4022", "tcp://b.example:4022"]
    assert found["verdict"] == "exits"


@pytest.mark.django_db
def test_the_dashboard_loads_it_with_its_classes_and_its_flows(one_run: Routed) -> None:
    run = gold_load(str(one_run.folder / "out")).run
    assert (run.job, run.rows_in, run.rows_out, run.quarantined) == ("route", len(GOOD) + len(BAD), len(GOOD), len(BAD))
    estate, traffic = one_run.folder / "estate.json", one_run.folder / "in" / "t.jsonl"
    assert [one["path"] for one in run.record["inputs"]] == [str(estate), str(traffic)]
    met = {one.to_service: (one.verdict, one.rows, one.messages, one.bytes) for one in Met.objects.filter(run=run)}
    stock = len(GOOD) - 2
    assert met == {
        "Stock": ("must_deliver", stock, 2 * stock, 100 * stock),
        "Entry": ("must_deliver", 1, 2, 100),
        "Away": ("exits", 1, 2, 100),
    }
    assert Met.objects.get(to_service="Stock").outcomes == [PARTS]
    ends = {(one.side, one.database or one.address): one.messages for one in Link.objects.all()}
    assert (ends["met", "Parts"], ends["met", "Orders"]) == (2 * stock, 2)
    assert sum(file.rows for file in File.objects.filter(table="rows")) == len(GOOD)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "holds no versions of an estate"),
        ({"1.json": document()}, r"1.json: \$.valid_from: is missing"),
        ({"1.json": {**document(), "valid_from": NOON}, "2.json": {**document(), "valid_from": NOON}}, "two versions"),
        ({"1.json": {"format": "x"}}, r"1.json: \$.format: must be"),
    ],
)
def test_a_history_is_refused_as_a_whole(tmp_path: Path, files: dict[str, Json], says: str) -> None:
    (tmp_path / "history").mkdir()
    for name, value in files.items():
        written(tmp_path / "history" / name, value)
    with pytest.raises(InputError, match=says):
        routed(str(tmp_path / "history"), written(tmp_path / "t.jsonl", [row()]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("name", "says"), [("nowhere", "is not there"), ("empty", "holds no files")])
def test_traffic_that_is_not_there_is_one_error(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=says):
        routed(written(tmp_path / "e.json", document()), str(tmp_path / name), tmp_path / "out")


# ---------------------------------------------------------------- again, after more has come


def routed_lake(tmp_path: Path, estate: str) -> tuple[JobRun, list[tuple[str, str, str]]]:
    """The run, and of each row of the result its conversation, the time and how it ended."""
    run = route(RouteOptions(estate, str(tmp_path / "lake"), str(tmp_path / "out")), SETTINGS)
    rows = rows_of(tmp_path / "out")
    found = [(one["conversation_id"], one["at"].isoformat(), json.dumps(one["outcomes"])) for one in rows]
    return run, sorted(found)


def anew(tmp_path: Path, estate: str) -> tuple[list[tuple[str, str, str]], list[Json], dict[str, int]]:
    """What a run says that finds no former result: rows, quarantine, counts."""
    shutil.rmtree(tmp_path / "out")
    run, rows = routed_lake(tmp_path, estate)
    return rows, in_quarantine(tmp_path / "out"), run.counts


def in_quarantine(out: Path) -> list[Json]:
    return sorted(quarantined(out), key=lambda one: str(one["raw"]))


def came(tmp_path: Path, name: str, *rows: Json) -> None:
    written(tmp_path / "in" / f"{name}.jsonl", list(rows))
    ingest(IngestOptions(str(tmp_path / "in"), str(tmp_path / "lake")), SETTINGS)


def version(tmp_path: Path, since: str, *routes: Json) -> str:
    written(tmp_path / "history" / f"{since}.json", document(*routes, valid_from=f"{since}T00:00:00Z"))
    return str(tmp_path / "history")


@pytest.fixture(scope="module")
def routed_once(spark: object, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A lake, a version and what a route made of them; and a copy of the folder."""
    folder = tmp_path_factory.mktemp("again") / "folder"
    came(folder, "a", row(1), row(2, from_database="Nowhere"))
    run, _ = routed_lake(folder, version(folder, "2026-01-01", TO_PARTS))
    assert run.extra["taken_over"] == 0
    return folder, shutil.copytree(folder, folder.with_name("copy"))


@pytest.fixture
def once(routed_once: tuple[Path, Path]) -> Path:
    """The folder as it was: a result names its lake by its place."""
    folder, copy = routed_once
    shutil.rmtree(folder)
    return shutil.copytree(copy, folder)


def test_rows_that_were_routed_are_taken_over_and_what_is_new_is_routed(once: Path) -> None:
    history = str(once / "history")
    first = set(DeltaTable(str(once / "out")).file_uris())
    # A version that begins after all rows that were routed, rows under each, and one that is older than all.
    version(once, "2026-03-02")
    later, older = {"at": "2026-03-02T08:00:00Z"}, {"at": "2025-03-02T08:00:00Z"}
    came(once, "b", row(3), row(4, **later), row(5, **older), row(6, from_database="X"))
    run, rows = routed_lake(once, history)
    assert len(in_quarantine(once / "out")) == 3
    second = set(DeltaTable(str(once / "out")).file_uris())
    assert first < second, "the same files"
    assert run.extra["taken_over"] == len(first)
    assert run.counts == {"in": 6, "out": 3, "quarantined": 3}
    if IS_ALL:
        third, again = routed_lake(once, history)
        assert (again, third.counts) == (rows, run.counts)
        assert third.extra["taken_over"] == len(second), "nothing new: no file either"
        assert (rows, in_quarantine(once / "out"), run.counts) == anew(once, history)
    ends = {name: json.loads(outcomes)[0]["outcome"] for name, _, outcomes in rows}
    assert ends == {"c1": "delivered", "c3": "delivered", "c4": "delayed"}


def test_what_does_not_fit_is_not_taken_over(once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history, out = str(once / "history"), once / "out"
    lake = Lake(once / "lake")
    (commit,) = (once / "lake" / "_commits").glob("run=*.json")

    def is_taken_over() -> bool:
        return previous_result("route", str(out), lake, load_timeline(history)) is not None

    assert is_taken_over()
    with monkeypatch.context() as other:
        other.setattr("pipeline.jobs.previous_result.software_versions", lambda: {"brokerui": "9"})
        assert not is_taken_over(), "another version of the product may have other rules"
    with changed(once / "history" / "2026-01-01.json", json.dumps(document(valid_from="2026-01-01T00:00:00Z"))):
        assert not is_taken_over(), "another estate"
    with changed(commit, commit.read_text() + " "):
        assert not is_taken_over(), "another lake, with a run of the same name"
    with changed(out / "_run.json", "{}"):
        assert not is_taken_over(), "no record of ours"
    version(once, "2026-03-02")
    assert is_taken_over(), "it begins after all rows"
    version(once, "2026-03-01")
    assert not is_taken_over(), "it begins before them"
    (once / "history" / "2026-03-01.json").unlink()
    assert is_taken_over()
    record = (out / "_run.json").read_text()
    with changed(out / "_run.json", record.replace('"version": 0', '"version": 1')):
        assert not is_taken_over(), "somebody wrote to the table"
    next(out.glob("result-*/*.parquet")).write_bytes(b"")
    assert not is_taken_over(), "a file was cut off"


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """A file with another content, for a while."""
    before = path.read_text()
    path.write_text(text)
    yield
    path.write_text(before)
