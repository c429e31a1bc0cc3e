"""The page of reachability: what it says, where its fields lead, and what it costs."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.estates import large_estate
from brokerui.analysis.reachability import selectors
from brokerui.analysis.reachability.job_kinds import SurveyStage
from brokerui.analysis.reachability.models import Survey
from brokerui.analysis.reachability.services import KEPT, surveys_prune
from brokerui.core.jobs.claims import claim_next
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.estates import EVERY_KIND, HOSTILE, HOSTILE_ESTATE, SHARE, company, document

PARTS = "/reachability/?scenario=2-network-route"
PATIENCE = 3.0
"""Seconds of processor time; more than ten times what it takes."""


def figure(response: Any, name: str = "matrix") -> Any:
    found = re.search(rf'<script id="{name}-figure" type="application/json">(.*?)</script>', response.content.decode())
    return json.loads(found[1]) if found else None


def links(response: Any) -> dict[str, str]:
    """The links of the fields, by the id that the figure names."""
    found = re.findall(r'<a id="(f\d+-\d+)" href="([^"]*)"', response.content.decode())
    return {name: unescape(href) for name, href in found}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> str:
    """A scenario that counts as large."""
    monkeypatch.setattr(selectors, "SMALL", 10)
    monkeypatch.setattr(selectors, "PART", 2)
    return scenario_create(title="kinds", text=EVERY_KIND)[0].name


def test_the_first_sentence_answers(client: Client) -> None:
    page = client.get(PARTS)
    text = page.content.decode()
    assert "All 8 pairs that a route names or that are delivered always arrive." in text
    assert 'class="card verdict good"' in text
    assert (
        "Not counted above: 4 pairs that no route names and that are not delivered (4 wait where they begin)." in text
    )
    assert page.status_code == 200


def test_a_field_leads_to_the_explanation_of_its_pair(client: Client) -> None:
    page = client.get(PARTS)
    found = links(page)
    assert len(found) == 12
    target = "/where/?scenario=2-network-route&from=host2%2FParts&to=OrderParts"
    assert target in found.values()
    answer = client.get(target)
    assert b"Delivered" in answer.content or b"delivered" in answer.content


def test_every_field_of_the_figure_has_its_link(client: Client) -> None:
    page = client.get(PARTS)
    named = {link for trace in figure(page)["data"] for link in trace.get("customdata", ())}
    assert named == links(page).keys()


def test_filters_are_in_the_address(client: Client) -> None:
    page = client.get(f"{PARTS}&origin=host2&service=order&verdict=must_deliver&outside=1")
    text = page.content.decode()
    assert 'value="host2"' in text
    assert '<option value="must_deliver" selected' in text
    assert len(links(page)) == 2
    assert "outside:host2" in text


def test_only_pairs_that_a_route_names(client: Client) -> None:
    page = client.get(f"{PARTS}&pairs=named")
    assert "The one pair that a route names always arrives." in page.content.decode()
    assert len(links(page)) == 1


def test_nothing_fits(client: Client) -> None:
    assert b"Nothing matches" in client.get(f"{PARTS}&origin=zzz").content
    assert b"No pair has this verdict" in client.get(f"{PARTS}&verdict=mixed").content
    page = client.get(f"{PARTS}&origin_from=nowhere/X")
    assert page.status_code == 404
    assert b"No such origin" in page.content


def test_an_empty_estate(client: Client) -> None:
    assert b"The live estate is empty" in client.get("/reachability/").content


def test_hostile_names_stay_text(client: Client) -> None:
    name = scenario_create(title="hostile", text=HOSTILE_ESTATE)[0].name
    page = client.get(f"/reachability/?scenario={name}&outside=1&system=1")
    assert page.status_code == 200
    assert HOSTILE not in page.content.decode()
    tells = [tell for trace in figure(page)["data"] for tell in trace.get("hovertext", ())]
    assert tells
    assert not any("<script" in tell for tell in tells)
    for href in links(page).values():
        assert client.get(href).status_code == 200


def test_the_files_say_the_same(client: Client) -> None:
    text = b"".join(client.get("/reachability/pairs.csv?scenario=2-network-route").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 12
    assert sum(row["verdict"] == "must_deliver" for row in rows) == 8
    text = b"".join(client.get("/reachability/table.csv?scenario=2-network-route").streaming_content).decode()
    table = list(csv.DictReader(io.StringIO(text)))
    assert sum(int(row["must_deliver"]) for row in table) == 8
    text = b"".join(
        client.get("/reachability/pairs.csv?scenario=2-network-route&verdict=unnamed").streaming_content
    ).decode()
    assert text.count(",delayed,no") == 4


def test_strangers_see_nothing(stranger: Client) -> None:
    for url in ("/reachability/", "/reachability/progress/", "/reachability/pairs.csv", "/reachability/table.csv"):
        assert stranger.get(url).status_code == 302


# -- Large estates -----------------------------------------------------------------------------------------


def test_a_large_estate_is_worked_out_in_the_background(client: Client, large: str) -> None:
    url = f"/reachability/?scenario={large}&pairs=all"
    before = client.get(url).content.decode()
    assert "the first 2 of 3 services" in before
    assert "waiting for a worker" in before
    assert ".csv" not in before
    assert "hx-get" in client.get(f"/reachability/progress/?scenario={large}").content.decode()
    assert client.get(f"/reachability/pairs.csv?scenario={large}").status_code == 404
    jobs_run()
    assert client.get(f"/reachability/progress/?scenario={large}").headers["HX-Refresh"] == "true"
    after = client.get(url)
    assert "data-ticks" not in after.content.decode()
    assert "/reachability/pairs.csv" in after.content.decode()
    small = figure_when_small(client, url)
    assert figure(after) == small


def test_how_far_the_work_in_the_background_is(client: Client, large: str) -> None:
    client.get(f"/reachability/?scenario={large}")
    job = claim_next(["survey"])
    assert job is not None
    for given, says in (
        ({"stage": SurveyStage.READING}, "Reading the estate"),
        ({"stage": SurveyStage.ASKING, "done": 1_000, "total": 3_000}, "1,000 of 3,000 services"),
    ):
        Job.objects.update(**given)
        text = client.get(f"/reachability/progress/?scenario={large}").content.decode()
        assert says in text
        assert "waiting for a worker" not in text


def figure_when_small(client: Client, url: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selectors, "SMALL", 10**9)
        return figure(client.get(url))


def test_it_is_asked_for_once(client: Client, large: str) -> None:
    for _ in range(3):
        client.get(f"/reachability/?scenario={large}")
        client.get(f"/flow/?scenario={large}")
    assert Job.objects.count() == 1


def test_a_worker_that_died_is_followed_by_another(client: Client, large: str) -> None:
    client.get(f"/reachability/?scenario={large}")
    claim_next(["survey"])
    jobs_run()
    assert not Survey.objects.exists()
    Job.objects.update(lapses_at=timezone.now() - timedelta(seconds=1))
    jobs_run()
    assert Survey.objects.exists()


def test_what_is_about_an_estate_that_is_gone_is_forgotten(client: Client, large: str) -> None:
    client.get(f"/reachability/?scenario={large}")
    job = Job.objects.get()
    Job.objects.update(payload={**job.payload, "key": "0" * 64})
    jobs_run()
    assert not Survey.objects.exists()
    assert Job.objects.get().state == JobState.DONE


def test_old_ones_are_deleted(client: Client, large: str) -> None:
    client.get(f"/reachability/?scenario={large}")
    jobs_run()
    row = Survey.objects.get()
    for number in range(KEPT + 3):
        row.pk, row.key = None, f"{number:064}"
        row.save()
    assert surveys_prune() == 4
    assert Survey.objects.count() == KEPT


def test_a_missing_worker_is_told(client: Client, large: str) -> None:
    client.get(f"/reachability/?scenario={large}")
    Job.objects.update(due_at="2000-01-01T00:00:00Z")
    assert b"No worker has started it" in client.get(f"/reachability/progress/?scenario={large}").content


def test_a_survey_that_failed_says_so_and_is_not_begun_again_by_the_page(client: Client, large: str) -> None:
    url = f"/reachability/?scenario={large}"
    client.get(url)
    Job.objects.update(state=JobState.FAILED, error="MemoryError: <all>", ended_at=timezone.now())
    page = client.get(url).content.decode()
    assert "The background job failed." in page
    assert "MemoryError: &lt;all&gt;" in page
    assert Job.objects.count() == 1


# -- Cost --------------------------------------------------------------------------------------------------


def scenario_of(instances: int) -> str:
    text = json.dumps(large_estate(instances=instances, databases=5 * instances, routes=50 * instances, names=300))
    return scenario_create(title=f"of {instances}", text=text)[0].name


@pytest.mark.parametrize("page", ["reachability", "flow"])
def test_queries_do_not_grow(client: Client, page: str) -> None:
    counts = []
    for instances in (2, 40):
        url = f"/{page}/?scenario={scenario_of(instances)}"
        client.get(url)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(url).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.slow
def test_a_company_is_seen_while_one_waits(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty million pairs, or 2,500,000: a worker takes seconds, a page less than a blink once they are known."""
    monkeypatch.setattr(selectors, "LONG", 10**9)
    name = scenario_create(title="company", text=company())[0].name
    urls = [f"/reachability/?scenario={name}", f"/reachability/?scenario={name}&pairs=all", f"/flow/?scenario={name}"]
    for url in urls:
        client.get(url)
    jobs_run()
    for url in urls:
        client.get(url)
        begun = time.process_time()
        page = client.get(url)
        assert time.process_time() - begun < PATIENCE / SHARE
        assert page.status_code == 200
    text = client.get(urls[1]).content.decode()
    counted = re.search(r"of ([0-9,]+) pairs that a route names or that are delivered always", text)
    apart = re.search(r"Not counted above: ([0-9,]+) pairs", text)
    assert counted
    assert apart
    assert sum(int(one[1].replace(",", "")) for one in (counted, apart)) == 40_000_000 // SHARE**2


def test_a_document_without_services(client: Client) -> None:
    name = scenario_create(title="bare", text=document({"name": "a", "databases": [{"name": "D"}]}))[0].name
    assert b"Nothing matches" in client.get(f"/reachability/?scenario={name}").content
    assert b"No route names a service" in client.get(f"/flow/?scenario={name}").content


def test_the_first_page_that_reads_a_survey_takes_no_more_queries_than_the_next(client: Client, large: str) -> None:
    url = f"/reachability/?scenario={large}"
    client.get(url)
    jobs_run()
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as captured:
            client.get(url)
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert sum('"reachability_survey"' in query["sql"] for query in captured) == 1
