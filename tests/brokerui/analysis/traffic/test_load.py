"""`brokerui load`: a result of the pipeline is in the database as a whole, once, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.db import connection

from brokerui.analysis.traffic.models import Change, Drops, File, Link, Met, Run
from brokerui.analysis.traffic.services import gold_load
from tests.brokerui.analysis.traffic.golds import (
    DELAYED,
    DELIVERED,
    change,
    gold,
    link,
    replayed,
    write_record,
)
from tests.brokerui.cli.command_line import Call, call_with, refused

Json = dict[str, Any]
pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def test_a_replay_is_there_with_its_rows_its_record_and_its_files(call: Call, tmp_path: Path) -> None:
    folder = replayed(tmp_path / "gold", [change(1), change(2, from_database=None), change(3)])
    result = call("load", folder)
    run = Run.objects.get()
    assert (result.status, result.out) == (0, f"run {run.pk}: 5 rows\n")
    assert (run.job, run.folder, run.rows_in, run.rows_out, run.quarantined) == ("replay", str(folder), 10, 9, 1)
    assert run.record["inputs"] == [{"path": "/traffic/a.parquet", "size": 5, "modified": 1}]
    assert run.record["versions"] == {"spark": "4.3.0"}
    rows = Change.objects.filter(run=run).order_by("messages")
    assert [(row.to_service, row.from_database, row.messages, row.bytes) for row in rows] == [
        ("Stock1", "Orders", 1, 10),
        ("Stock2", None, 2, 20),
        ("Stock3", "Orders", 3, 30),
    ]
    assert rows[0].before == [{key: value for key, value in DELIVERED[0].items() if value is not None}]
    assert rows[0].after == [{key: value for key, value in DELAYED[0].items() if value is not None}]
    assert {one.side for one in Link.objects.filter(run=run)} == {"before", "after"}
    files = File.objects.filter(run=run, table="differential")
    assert sorted((one.path, one.rows) for one in files) == [
        ("differential/part-0.parquet", 1),
        ("differential/part-1.parquet", 2),
    ]


def test_rows_of_traffic_stay_in_their_files(tmp_path: Path) -> None:
    met = {**change(), "outcomes": DELIVERED}
    for name in ("before", "after", "kind"):
        del met[name]
    folder = gold(tmp_path / "gold", "route", {"_summary/outcomes": [met], "_summary/flow_matrix": [link("met")]})
    pq.write_table(pa.table({"conversation_id": ["a", "b"]}), folder / "part-0.parquet")
    write_record(folder, "route", "2026-03-01T12:00:00Z")
    run = gold_load(str(folder)).run
    assert (Met.objects.get().verdict, Link.objects.get().side) == ("worse", "met")
    assert [(one.path, one.rows) for one in File.objects.filter(run=run, table="rows")] == [("part-0.parquet", 2)]


def test_the_same_result_again_changes_nothing(call: Call, tmp_path: Path) -> None:
    folder = replayed(tmp_path / "gold")
    first = gold_load(str(folder))
    result = call("load", folder)
    assert (result.status, result.out) == (0, f"run {first.run.pk} is this result: it was loaded before\n")
    assert (Run.objects.count(), Change.objects.count(), Link.objects.count()) == (1, 1, 2)


def test_a_job_that_ran_again_is_a_run_of_its_own(tmp_path: Path) -> None:
    for started in ("2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z"):
        gold_load(str(replayed(tmp_path / started, started=started)))
    assert Run.objects.count() == 2
    assert Change.objects.count() == 2


def test_of_each_job_the_last_runs_are_kept(tmp_path: Path, settings: Any) -> None:
    settings.RESULTS_KEEP = 2
    other = gold_load(str(gold(tmp_path / "route", "route", {"_summary/flow_matrix": [link("met")]}))).run
    loaded = []
    for second in range(4):
        started = f"2026-03-01T12:00:0{second}Z"
        loaded.append(gold_load(str(replayed(tmp_path / started, started=started))))
    assert [one.dropped for one in loaded] == [0, 0, 1, 1]
    kept = {one.run.pk for one in loaded[2:]}
    assert set(Run.objects.values_list("pk", flat=True)) == {other.pk, *kept}
    assert set(Change.objects.values_list("run", flat=True)) == kept


def test_no_temporary_table_is_left_over(tmp_path: Path) -> None:
    gold_load(str(replayed(tmp_path / "a")))
    with connection.cursor() as cursor:
        names = connection.introspection.get_table_list(cursor)
    assert not [table.name for table in names if table.name.startswith("staged")]


def test_minutes_that_are_long_past_stay_in_the_files(tmp_path: Path, settings: Any) -> None:
    settings.RESULTS_MINUTES_DAYS = 2
    end = datetime(2026, 3, 10, 12, tzinfo=UTC)
    of = {"instance": "host1", "database": "Orders", "event_class": 140, "error": 11_282}
    rows = [
        {"span": span, "since": end - timedelta(days=days), **of, "drops": 10 * days + 1}
        for span in ("minute", "hour")
        for days in (0, 2, 3)
    ]
    folder = gold(tmp_path / "gold", "telemetry", {"drops": rows})
    _edit(covers=["2026-03-01T00:00:00.000Z", "2026-03-10T12:00:00.000Z"])(folder)
    assert gold_load(str(folder)).rows == 5
    found = Drops.objects.order_by("span", "drops").values_list("span", "drops")
    assert list(found) == [("hour", 1), ("hour", 21), ("hour", 31), ("minute", 1), ("minute", 21)]


# ---------------------------------------------------------------- incomplete results


def _cut(folder: Path) -> None:
    path = folder / "differential" / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:-20])


def _lost(folder: Path) -> None:
    (folder / "flow_matrix" / "part-0.parquet").unlink()


def _altered(folder: Path) -> None:
    """One bit, the size stays."""
    path = folder / "flow_matrix" / "part-0.parquet"
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)


def _edit(**changes: Any) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        record = json.loads((folder / "_run.json").read_text())
        (folder / "_run.json").write_text(json.dumps({**record, **changes}))

    return edit


def _column_lost(folder: Path) -> None:
    path = folder / "differential" / "part-1.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["kind"]), path)
    write_record(folder, "replay", "2026-03-01T12:00:00Z")


def _outside(folder: Path) -> None:
    (folder.parent / "x.parquet").write_bytes(b"")
    _edit(tables={"differential": {"files": [{"path": "../x.parquet", "rows": 0, "bytes": 0}]}})(folder)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: (folder / "_run.json").unlink(), "gold: is not the result of a run of the pipeline"),
        (lambda folder: (folder / "_run.json").write_text('{"format": "brok'), "_run.json: is not the record of a run"),
        (lambda folder: (folder / "_run.json").write_text("[]"), "_run.json: is not the record of a run"),
        (_edit(tables=None), "_run.json: is not the record of a run"),
        (_edit(counts={"in": 1}), "_run.json: is not the record of a run"),
        (_edit(started="yesterday"), "_run.json: is not the record of a run"),
        (_edit(seconds="many"), "_run.json: is not the record of a run"),
        (_edit(job="ingest"), "gold: holds no result that can be loaded"),
        (_edit(format="brokerui.gold/2"), "gold: holds no result that can be loaded"),
        (_outside, "_run.json: is not the record of a run"),
        (_cut, "differential/part-1.parquet: is not what the job wrote"),
        (_altered, "flow_matrix/part-0.parquet: is not what the job wrote"),
        (
            lambda folder: (folder / "flow_matrix" / "part-0.parquet").unlink(),
            "part-0.parquet: cannot be read: No such",
        ),
        (_column_lost, "part-1.parquet: has no column kind"),
    ],
)
def test_what_is_not_whole_is_one_error_and_nothing_is_written(
    call: Call, tmp_path: Path, damage: Callable[[Path], None], says: str
) -> None:
    folder = replayed(tmp_path / "gold", [change(1), change(2)])
    damage(folder)
    assert says in refused(call("load", folder))
    assert (Run.objects.count(), Change.objects.count(), Link.objects.count()) == (0, 0, 0)


def test_a_folder_that_is_not_there_is_one_error(call: Call, tmp_path: Path) -> None:
    assert "is not the result of a run" in refused(call("load", tmp_path / "nowhere"))


@pytest.mark.django_db(transaction=True)
def test_what_the_tables_cannot_hold_is_one_error(call: Call, tmp_path: Path) -> None:
    """Everything is as it was written, but another program wrote it."""
    folder = replayed(tmp_path / "gold")
    path = folder / "flow_matrix" / "part-1.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.schema.names.index("rows"), "rows", pa.array([None], pa.int64())), path)
    write_record(folder, "replay", "2026-03-01T12:00:00Z")
    assert "the database: cannot be read or written" in refused(call("load", folder))
    assert (Run.objects.count(), Change.objects.count()) == (0, 0)
    gold_load(str(replayed(tmp_path / "again")))
    assert Link.objects.count() == 2
