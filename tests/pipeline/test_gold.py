"""What the jobs write is what the dashboard loads."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from brokerui.analysis.traffic.models import Change, File, Link, Met
from brokerui.analysis.traffic.services import gold_load
from pipeline.jobs.replay import ReplayOptions, replay
from pipeline.jobs.route import RouteOptions, route
from pipeline.runtime.session import SparkSettings
from tests.pipeline.estates import TO_PARTS, document, row, written

SETTINGS = SparkSettings("local[2]")
ROWS = [*(row(n, messages=n, bytes=10 * n) for n in range(1, 5)), row(9, to_service="Entry"), row(10, at="never")]
pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.django_db]


def test_a_route_with_its_classes_and_its_flows(tmp_path: Path) -> None:
    estate, traffic = written(tmp_path / "e.json", document(TO_PARTS)), written(tmp_path / "t.jsonl", ROWS)
    route(RouteOptions(estate, traffic, str(tmp_path / "out")), SETTINGS)
    run = gold_load(str(tmp_path / "out")).run
    assert (run.job, run.rows_in, run.rows_out, run.quarantined) == ("route", 6, 5, 1)
    assert [one["path"] for one in run.record["inputs"]] == [estate, traffic]
    met = {one.to_service: (one.verdict, one.rows, one.messages, one.bytes) for one in Met.objects.filter(run=run)}
    assert met == {"Stock": ("must_deliver", 4, 10, 100), "Entry": ("must_deliver", 1, 2, 100)}
    assert Met.objects.get(to_service="Stock").outcomes == [
        {"outcome": "delivered", "instance": "host2", "database": "Parts"}
    ]
    assert {(one.side, one.database, one.messages) for one in Link.objects.all()} == {
        ("met", "Parts", 10),
        ("met", "Orders", 2),
    }
    assert sum(file.rows for file in File.objects.filter(table="rows")) == 5
    assert pq.read_table(tmp_path / "out").num_rows == 5  # a reader of the folder sees the rows alone


def test_a_replay_with_what_changes(tmp_path: Path) -> None:
    before, after = (written(tmp_path / name, estate) for name, estate in _ESTATES.items())
    traffic = written(tmp_path / "t.jsonl", ROWS)
    replay(ReplayOptions(before, after, traffic, str(tmp_path / "out")), SETTINGS)
    run = gold_load(str(tmp_path / "out")).run
    (one,) = Change.objects.filter(run=run)
    assert (one.to_service, one.verdict, one.kind, one.messages) == ("Stock", "worse", "newly_delayed", 10)
    assert one.after == [{"outcome": "delayed", "instance": "host1", "reason": "service_not_found"}]
    assert Link.objects.filter(run=run).count() == 4
    assert run.record["summary"]["worse"]["messages"] == 10


_ESTATES = {"before.json": document(TO_PARTS), "after.json": document()}
