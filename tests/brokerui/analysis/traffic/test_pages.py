"""The pages of what the pipeline found: each run with its answer, its figures as tables and files, and its lineage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from brokerui.analysis.traffic.models import Disagreement, Episode, Hop, Run, UnusedRoute, Waiting
from brokerui.analysis.traffic.services import gold_load
from tests.brokerui.analysis.traffic.golds import change, gold, link, replayed

pytestmark = pytest.mark.django_db
HOUR = datetime(2026, 3, 1, 12, tzinfo=UTC)


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.getvalue().decode()


def told_run() -> Run:
    """A run of `telemetry`."""
    counts: dict[str, Any] = {"rows_in": 5, "rows_out": 5, "quarantined": 0, "seconds": 2.0, "load_seconds": 0.1}
    about = {"job": "telemetry", "folder": "/gold", "started_at": HOUR, "loaded_at": HOUR, "record": {}}
    return Run.objects.create(digest="d", **about, **counts)


def test_before_anything_is_loaded_the_page_says_how(viewer: Client) -> None:
    text = page(viewer, "/traffic/")
    assert "No result was loaded yet" in text
    assert "brokerui load" in text


def test_runs_stand_in_a_table_the_latest_first(viewer: Client, tmp_path: Path) -> None:
    runs = [
        gold_load(str(replayed(tmp_path / day, started=f"2026-03-{day}T12:00:00Z"))).run for day in ("01", "03", "02")
    ]
    text = page(viewer, "/traffic/")
    assert [text.index(f'href="/traffic/{runs[place].pk}/"') for place in (1, 2, 0)] == sorted(
        text.index(f'href="/traffic/{run.pk}/"') for run in runs
    )


def test_results_are_filtered_by_job_and_by_where_their_traffic_is_from(viewer: Client) -> None:
    run = told_run()
    for query, is_there in (({"job": "telemetry"}, True), ({"job": "route"}, False), ({"traffic": "generated"}, False)):
        text = viewer.get("/traffic/", query).content.decode()
        assert (f'href="/traffic/{run.pk}/"' in text) == is_there, query
    assert "There is no traffic drawn: it is one of own, generated." in page(viewer, "/traffic/?traffic=drawn")


def test_a_replay_with_its_answer_its_flows_and_its_changes(viewer: Client, tmp_path: Path) -> None:
    run = gold_load(str(replayed(tmp_path / "gold", [change(1), change(7, to_service="<b>")]))).run
    run.record["summary"] = {"worse": {"messages": 8}}
    run.save()
    text = page(viewer, f"/traffic/{run.pk}/")
    assert "8 messages have another outcome under the proposed routes, 8 of them worse." in text
    assert text.index("&lt;b&gt;") < text.index("Stock1")
    assert 'href="?side=after#flow-title"' in text
    assert 'id="flow-figure"' in text
    assert "host2/Parts" in text
    assert "/traffic/a.parquet" in text
    assert f"{tmp_path}/gold/differential/part-0.parquet" in text


def test_each_side_of_a_replay_has_its_flows(viewer: Client, tmp_path: Path) -> None:
    nowhere = {"outcome": "delayed", "instance": "host1", "database": None, "reason": "no_route"}
    tables = {"differential": [change()], "flow_matrix": [link(), link("after", **nowhere)]}
    run = gold_load(str(gold(tmp_path / "gold", "replay", tables))).run
    assert "Delayed: no route" not in page(viewer, f"/traffic/{run.pk}/?side=before")
    assert "Delayed: no route" in page(viewer, f"/traffic/{run.pk}/?side=after")
    assert "Delayed: no route" not in page(viewer, f"/traffic/{run.pk}/?side=nonsense")


def test_a_route_says_what_is_not_delivered(viewer: Client, tmp_path: Path) -> None:
    one = {name: value for name, value in change(3).items() if name not in ("before", "after", "kind")}
    met = [{**one, "outcomes": [], "verdict": verdict} for verdict in ("must_deliver", "mixed")]
    tables = {"_summary/outcomes": met, "_summary/flow_matrix": [link("met")]}
    run = gold_load(str(gold(tmp_path / "gold", "route", tables))).run
    assert "3 of 6 messages are not, or not certainly, delivered." in page(viewer, f"/traffic/{run.pk}/")


def test_a_route_says_which_rows_nobody_can_answer_and_what_to_do(viewer: Client, tmp_path: Path) -> None:
    tables = {"_summary/flow_matrix": [link("met")]}
    run = gold_load(str(gold(tmp_path / "gold", "route", tables))).run
    assert "1 row names an instance or a database that the estate did not have." in page(viewer, f"/traffic/{run.pk}/")
    run.record |= {"reasons": {"unknown_entry": 5}, "before_estate": {"rows": 5, "since": "2026-03-01T12:00:00+00:00"}}
    run.save()
    text = page(viewer, f"/traffic/{run.pk}/")
    assert "No row could be evaluated." in text
    assert "5 rows are older than the estate." in text
    assert "since 2026-03-01 12:00 UTC" in text
    assert "brokerui pipeline route --estate estate.json --traffic traffic --out routed" in text
    assert "did not have" not in text


def test_a_replay_does_not_call_changed_what_is_older_than_the_estate(viewer: Client, tmp_path: Path) -> None:
    guids = [f"3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d0{number}" for number in (1, 2)]
    changes = [change(4, to_broker_instance=guid, is_reply=guid == guids[0], verdict="moved") for guid in guids]
    run = gold_load(str(replayed(tmp_path / "gold", changes))).run
    early = {"rows": 2, "messages": 8, "since": "2026-03-01T12:00:00+00:00", "changes": {"moved": 8}}
    run.record |= {"summary": {"moved": {"messages": 8}}, "before_estate": early, "not_in_estate": {}}
    run.save()
    text = page(viewer, f"/traffic/{run.pk}/")
    assert "No row could be compared. 2 rows are older than the estate." in text
    assert "brokerui pipeline replay --baseline estate.json" in text
    assert [text.count(guid) for guid in guids] == [1, 1]
    assert text.count(">replies<") == 1
    run.record["summary"] = {"moved": {"messages": 8}, "worse": {"messages": 3}}
    run.record["not_in_estate"] = {"rows": 1, "messages": 1}
    run.save()
    assert (
        "3 messages have another outcome under the proposed routes, 3 of them worse. 2 rows are older than the estate. "
        "1 row names an instance or a database that the estate did not have."
    ) in page(viewer, f"/traffic/{run.pk}/")
    run.record["summary"] = {"moved": {"messages": 8}, "unchanged": {"messages": 3}}
    run.save()
    text = page(viewer, f"/traffic/{run.pk}/")
    assert "Nothing changes for this traffic. 2 rows are older than the estate." in text
    assert "verdict warn" in text


def test_a_log_with_its_delays_and_what_came_elsewhere(viewer: Client) -> None:
    run = told_run()
    of = {"run": run, "span": "hour", "since": HOUR, "instance": "host1"}
    Waiting.objects.create(**of, database="Orders", error=9792, conversations=1, conversations_max=41)
    Waiting.objects.create(**of, database="Parts", error=None, conversations=1, conversations_max=17)
    for verdict, count in (("agrees", 1_500), ("disagrees", 120), ("unseen", 3)):
        Hop.objects.create(**of, next_hop="tcp://host2:4022", expected="host2", verdict=verdict, predictions=count)
    Hop.objects.create(**{**of, "span": "minute"}, next_hop="x", expected="y", verdict="disagrees", predictions=120)
    side = {"run": run, "instance": "host1", "conversation_handle": "h", "causes": [9792], "cause": 9792}
    Episode.objects.create(**side, began_at=HOUR, began_before=False, ended_at=HOUR, milliseconds=90_000)
    Episode.objects.create(**{**side, "cause": -77}, began_at=HOUR, began_before=False)
    row = {"next_hop": "tcp://host2:4022", "expected": "host2", "peer": "host3", "told": ["host3"]}
    Disagreement.objects.create(run=run, at=HOUR, instance="host1", conversation_id="c-77", number=0, **row)
    text = page(viewer, f"/traffic/{run.pk}/")
    by_cause = page(viewer, f"/traffic/{run.pk}/?causes-sort=-longest").partition("causes-title")[2]
    assert by_cause.index("<b>9792</b>") < by_cause.index("<b>-77</b>"), "a delay that has not ended has no length"
    assert "120 messages arrived elsewhere than their routes lead." in text
    assert "1,500" in text
    assert "Delays by cause" in text
    assert "c-77" in text
    assert "20 more are in the CSV file." in text
    assert all(f'<td class="n">{count}</td>' in text for count in (41, 17))


def test_no_green_answer_stands_over_a_delay_that_has_not_ended(viewer: Client) -> None:
    run = told_run()
    of = {"run": run, "span": "hour", "since": HOUR, "instance": "host1"}
    Hop.objects.create(**of, next_hop="tcp://host2:4022", expected="host2", verdict="agrees", predictions=5)
    assert 'class="card verdict good"' in page(viewer, f"/traffic/{run.pk}/")
    side = {"run": run, "instance": "host1", "conversation_handle": "h", "causes": [9793], "cause": 9793}
    Episode.objects.create(**side, began_at=HOUR, began_before=False)
    text = page(viewer, f"/traffic/{run.pk}/")
    assert "arrived where its route leads, but 1 delay has not ended." in text
    assert 'class="card verdict warn"' in text


def test_routes_that_nothing_took_lead_to_their_tables(viewer: Client) -> None:
    run = told_run()
    place = {"run": run, "instance": "host1", "database": "Orders", "to_service": None, "address": "TRANSPORT"}
    UnusedRoute.objects.bulk_create(
        UnusedRoute(**place, route=f"Way{number:03}", last_used=None) for number in range(120)
    )
    UnusedRoute.objects.create(**{**place, "to_service": "Ship"}, route="Lately", last_used=HOUR)
    text = page(viewer, f"/traffic/{run.pk}/")
    assert "121 routes" in text
    assert "never in this log" in text
    assert 'href="/routes/?q=instance%3Ahost1+database%3AOrders"' in text
    assert "21 more are in the CSV file." in text
    assert text.index("Way000") < text.index("Way099")
    assert "Lately" not in text, "those that the log never used come first"
    assert 'data-label="Address"' not in page(viewer, f"/traffic/{run.pk}/?unused-columns=service")
    last = page(viewer, f"/traffic/{run.pk}/?unused-sort=-route")
    assert last.index("Way119") < last.index("Way021")
    assert "Way019" not in last, "the database sorts all of them"
    assert len(page(viewer, f"/traffic/{run.pk}/unused_routes.csv").splitlines()) == 122


def test_without_routes_the_page_says_whether_an_estate_was_known(viewer: Client) -> None:
    run = told_run()
    assert "Not compared with an estate" in page(viewer, f"/traffic/{run.pk}/")
    run.record["arguments"] = {"estate": "/history"}
    run.save()
    assert "Every route was taken" in page(viewer, f"/traffic/{run.pk}/")


def test_a_log_in_which_nothing_happened(viewer: Client) -> None:
    text = page(viewer, f"/traffic/{told_run().pk}/")
    assert "Nothing was delayed" in text
    assert "Nothing was predicted" in text
    assert "No message was seen at its next hop in this log." in text


def test_every_table_is_a_file_with_all_of_its_rows(viewer: Client, tmp_path: Path) -> None:
    run = gold_load(str(replayed(tmp_path / "gold", [change(number) for number in range(1, 131)]))).run
    response = viewer.get(f"/traffic/{run.pk}/differential.csv")
    lines = response.getvalue().decode().splitlines()
    assert len(lines) == 131
    assert lines[0].startswith("rows,messages,bytes,from_instance")
    assert viewer.get(f"/traffic/{run.pk}/rows.csv").status_code == 404
    assert viewer.get(f"/traffic/{run.pk + 1}/differential.csv").status_code == 404
    assert viewer.get(f"/traffic/{run.pk + 1}/").status_code == 404


def test_queries_do_not_grow_with_what_was_found(viewer: Client, tmp_path: Path) -> None:
    counts = []
    for many in (1, 300):
        tables = {
            "differential": [change(number) for number in range(1, many + 1)],
            "flow_matrix": [link(instance=f"host{number}") for number in range(many)],
        }
        run = gold_load(str(gold(tmp_path / f"{many}", "replay", tables))).run
        with CaptureQueriesContext(connection) as captured:
            page(viewer, f"/traffic/{run.pk}/")
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 12


def test_two_moments_make_a_line(viewer: Client) -> None:
    run = told_run()
    for hour in range(2):
        since = HOUR + timedelta(hours=hour)
        of = {"run": run, "span": "hour", "since": since, "instance": "host1"}
        Waiting.objects.create(**of, error=9792, conversations=1, conversations_max=hour + 1)
    assert 'id="waiting-figure"' in page(viewer, f"/traffic/{run.pk}/")
