"""`pipeline replay`: what a traffic met, what it would have met, and how much of it changes."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from brokerui.analysis.traffic.models import Change, Link
from brokerui.analysis.traffic.services import gold_load
from pipeline.cli import main
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.jobs.replay import ReplayOptions, replay
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings
from routing.common.moment import parse_moment
from routing.diff.result import kind_of_change, verdict_of_change
from routing.documents.estate_document import read_estate
from tests.pipeline.estates import TO_PARTS, document, row, written
from tests.pipeline.parity import (
    answered,
    as_outcomes,
    history_and_rows,
    without_nulls,
    write_history,
    write_traffic,
)
from tests.strategies import random_edit

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
pytestmark = pytest.mark.usefixtures("spark")


def replayed(before: str, after: str, traffic: str, out: Path, *, rows: bool = False) -> JobRun:
    return replay(ReplayOptions(before, after, traffic, str(out), rows), SETTINGS)


def table(out: Path, name: str) -> list[Json]:
    return pq.read_table(out / name).to_pylist()


def change(before: list[Json] | None, after: list[Json] | None) -> tuple[str, str]:
    old, new = frozenset(as_outcomes(before or [])), frozenset(as_outcomes(after or []))
    return ("unchanged", "unchanged") if old == new else (verdict_of_change(old, new), kind_of_change(old, new))


# ---------------------------------------------------------------- parity


@pytest.mark.usefixtures("adapted")
@pytest.mark.parametrize(
    "through_a_lake",
    [pytest.param(False, marks=pytest.mark.thorough("route reads files in `make test`")), True],
    ids=["files", "lake"],
)
def test_every_row_is_answered_before_and_after_and_the_sums_are_those_of_the_rows(
    tmp_path: Path, through_a_lake: bool
) -> None:
    """A history of random estates against an edit of one of them: some entry points are on one side only."""
    rng = random.Random(random.getrandbits(64))
    history, rows = history_and_rows(rng)
    edited = random_edit(rng, history.documents[len(history.documents) // 2])
    after = read_estate(json.dumps(edited))
    out, traffic = tmp_path / "out", write_traffic(rows, tmp_path / "traffic")
    if through_a_lake:
        ingest(IngestOptions(traffic, str(tmp_path / "lake")), SETTINGS)
        traffic = str(tmp_path / "lake")
    run = replayed(
        write_history(history, tmp_path / "history"),
        written(tmp_path / "after.json", edited),
        traffic,
        out,
        rows=True,
    )
    expected = {}
    for one in rows:
        ends = answered(history.at(parse_moment(one["at"])), one), answered(after, one)
        if ends != (None, None):
            expected[one["conversation_id"]] = (*(end or [] for end in ends), *change(*ends))
    found = {
        one["conversation_id"]: (
            without_nulls(one["before"]),
            without_nulls(one["after"]),
            one["verdict"],
            one["kind"],
        )
        for one in table(out, "rows")
    }
    assert found == expected
    assert run.counts == {"in": len(rows), "out": len(found), "quarantined": len(rows) - len(found)}
    _check_sums(run, out, [one for one in rows if one["conversation_id"] in found], found)


def _check_sums(run: JobRun, out: Path, rows: list[Json], found: dict[str, Any]) -> None:
    sums: Counter[tuple[str, str]] = Counter()
    for one in rows:
        verdict = found[one["conversation_id"]][2]
        sums.update({(verdict, "rows"): 1, (verdict, "messages"): one["messages"], (verdict, "bytes"): one["bytes"]})
    summary = run.extra["summary"]
    assert {(v, name): summary[v][name] for v in summary for name in ("rows", "messages", "bytes")} == dict(sums)
    of_differential: Counter[tuple[str, str]] = Counter()
    for one in table(out, "differential"):
        of_differential.update({(one["verdict"], name): one[name] for name in ("rows", "messages", "bytes")})
    del sums["unchanged", "rows"], sums["unchanged", "messages"], sums["unchanged", "bytes"]
    assert of_differential == sums
    for side in ("before", "after"):
        links = [one for one in table(out, "flow_matrix") if one["side"] == side]
        several = any(not one["is_certain"] for one in links)
        ended = sum(bool(found[one["conversation_id"]][side == "after"]) for one in rows)
        assert sum(one["rows"] for one in links if one["is_certain"]) <= ended
        assert several or sum(one["rows"] for one in links) == ended


# ---------------------------------------------------------------- one change, looked at


# Tests with a database run apart from those without, so that the module is come to twice.
@pytest.fixture(scope="session")
def dropped(spark: object, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, JobRun]:
    """The route to Parts is taken away; what asks for Entry does not care."""
    folder = tmp_path_factory.mktemp("dropped")
    rows = [*(row(n, messages=n, bytes=10 * n) for n in range(1, 5)), row(9, to_service="Entry")]
    before, after = (written(folder / name, value) for name, value in _ESTATES.items())
    run = replayed(before, after, written(folder / "t.jsonl", rows), folder / "out")
    return folder / "out", run


_ESTATES = {"before.json": document(TO_PARTS), "after.json": document()}


def test_the_differential_is_weighted_by_the_traffic(dropped: tuple[Path, JobRun]) -> None:
    out, run = dropped
    (one,) = table(out, "differential")
    assert (one["to_service"], one["verdict"], one["kind"]) == ("Stock", "worse", "newly_delayed")
    assert (one["rows"], one["messages"], one["bytes"]) == (4, 10, 100)
    assert without_nulls(one["before"]) == [{"outcome": "delivered", "instance": "host2", "database": "Parts"}]
    assert run.extra["summary"] == {
        "unchanged": {"questions": 1, "rows": 1, "messages": 2, "bytes": 100},
        "worse": {"questions": 1, "rows": 4, "messages": 10, "bytes": 100},
    }


def test_the_flow_matrix_leads_from_entries_to_ends_on_both_sides(dropped: tuple[Path, JobRun]) -> None:
    links = {
        (one["side"], one["from_database"], one["outcome"], one["database"] or one["reason"]): one["messages"]
        for one in table(dropped[0], "flow_matrix")
    }
    assert links == {
        ("before", "Orders", "delivered", "Parts"): 10,
        ("before", "Orders", "delivered", "Orders"): 2,
        ("after", "Orders", "delayed", "service_not_found"): 10,
        ("after", "Orders", "delivered", "Orders"): 2,
    }


def test_top_flows_are_changed_ones(dropped: tuple[Path, JobRun]) -> None:
    assert [one["to_service"] for one in table(dropped[0], "top_flows")] == ["Stock"]


def test_the_manifest_names_every_file_with_its_rows(dropped: tuple[Path, JobRun]) -> None:
    out, _ = dropped
    tables = json.loads((out / "_run.json").read_text())["tables"]
    assert {name: table["rows"] for name, table in tables.items()} == {
        "differential": 1,
        "flow_matrix": 4,
        "top_flows": 1,
    }
    files = [file for table in tables.values() for file in table["files"]]
    assert sorted(file["path"] for file in files) == sorted(
        path.relative_to(out).as_posix() for path in out.rglob("*.parquet")
    )
    assert all((out / file["path"]).stat().st_size == file["bytes"] for file in files)


def test_without_rows_there_are_none(dropped: tuple[Path, JobRun]) -> None:
    out, run = dropped
    assert sorted(path.name for path in out.iterdir()) == ["_run.json", "differential", "flow_matrix", "top_flows"]
    assert run.counts == {"in": 5, "out": 5, "quarantined": 0}


@pytest.mark.django_db
def test_the_dashboard_loads_what_changes(dropped: tuple[Path, JobRun]) -> None:
    run = gold_load(str(dropped[0])).run
    (one,) = Change.objects.filter(run=run)
    assert (one.to_service, one.verdict, one.kind, one.messages) == ("Stock", "worse", "newly_delayed", 10)
    assert one.after == [{"outcome": "delayed", "instance": "host1", "reason": "service_not_found"}]
    assert Link.objects.filter(run=run).count() == 4
    assert run.record["summary"]["worse"]["messages"] == 10


def test_nothing_changes_between_equals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estate = written(tmp_path / "e.json", document(TO_PARTS))
    traffic, out = written(tmp_path / "t.jsonl", [row()]), tmp_path / "out"
    arguments = ["--baseline", estate, "--proposed", estate, "--traffic", traffic, "--out", str(out)]
    assert main(["replay", *arguments]) == 0
    assert table(out, "differential") == []
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["in", "1"]
    assert lines[-1].split() == ["unchanged", "1", "questions", "1", "rows", "2", "messages", "100", "bytes"]


def test_traffic_that_an_estate_cannot_answer_is_told_apart_from_what_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One row is older than the history, one begins in a database that only the proposed estate has, one in neither."""
    written(tmp_path / "history" / "1.json", {**document(TO_PARTS), "valid_from": "2026-01-01T00:00:00Z"})
    more = document(TO_PARTS)
    more["instances"][0]["databases"].append(
        {**more["instances"][0]["databases"][0], "name": "New", "broker_instance": None}
    )
    rows = [row(), row(2, at="2025-12-31"), row(3, from_database="New"), row(4, from_database="Nowhere")]
    arguments = ["--baseline", str(tmp_path / "history"), "--proposed", written(tmp_path / "after.json", more)]
    traffic, out = written(tmp_path / "t.jsonl", rows), tmp_path / "out"
    assert main(["replay", *arguments, "--traffic", traffic, "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()[-4:]
    assert [line.split()[:4] for line in lines[:2]] == [
        ["moved", "1", "questions", "1"],
        ["unchanged", "1", "questions", "1"],
    ]
    assert lines[2].startswith("1 row is older than the first version of the estate (2026-01-01T00:00:00+00:00): ")
    assert lines[3].startswith("2 rows are from an instance or a database that the estate of that time does not have.")
    record = json.loads((out / "_run.json").read_text())
    assert record["summary"]["moved"]["rows"] == 2
    since = "2026-01-01T00:00:00+00:00"
    assert record["before_estate"] == {"rows": 1, "messages": 2, "since": since, "changes": {"moved": 2}}
    assert record["not_in_estate"] == {"rows": 2, "messages": 4}
