"""`/metrics`: permissions, content, and that it costs the same whatever there is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from redis import Redis

from brokerui.accounts.levels import Role
from brokerui.accounts.models import Token
from brokerui.core.home import CHECKOUT
from brokerui.eventlog.counting import CounterKey, CounterSums, counted
from brokerui.eventlog.exposition import counter, exposition, gauge
from brokerui.eventlog.product_counters import COUNTERS, product_counters
from brokerui.eventlog.selectors import Total
from brokerui.eventlog.services import counts_add, samples_put
from brokerui.messaging.exchange.lists import put_outgoing, run, show_connections
from brokerui.messaging.exchange.messages import ConnectionRow
from tests.brokerui.eventlog.samples import AT, EVENTS, SAMPLES
from tests.brokerui.site import signed_in, user_of

NAME = re.compile(r"`((?:brokerui|sqlserver)_\w+)`")
LINE = re.compile(r'^(\w+)(\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})? (-?[\d.e+]+)$')


def read(text: str) -> dict[str, float]:
    """Values by name with labels; each line is what the format lets it be."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            matched = LINE.match(line)
            assert matched, line
            found[matched[1] + (matched[2] or "")] = float(matched[3])
    return found


@pytest.fixture
def nowhere(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"


def test_values_are_written_as_the_format_wants_them() -> None:
    odd = 'a "b" \\ \n c'
    metrics = [
        gauge("m", "Help\nme.", [({"x": odd}, 1.5), ({}, 2), ({"n": 3, "b": 1}, 10**20)]),
        counter("m_total", "All.", [({}, 7)]),
    ]
    text = exposition(metrics).decode()
    assert text == (
        '# HELP m Help\\nme.\n# TYPE m gauge\nm{x="a \\"b\\" \\\\ \\n c"} 1.5\nm 2.0\nm{b="1",n="3"} 1e+20\n'
        "# HELP m_total All.\n# TYPE m_total counter\nm_total 7.0\n"
    )
    assert len(read(text)) == 4


@pytest.mark.django_db
def test_a_token_is_enough_and_nothing_is_not(nowhere: None) -> None:
    assert Client().get("/metrics").status_code == 401
    assert signed_in(Role.VIEWER).get("/metrics").status_code == 200
    _, token = Token.objects.create(user=user_of(Role.VIEWER))
    response = Client().get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert (response.status_code, response["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert read(response.content.decode())["brokerui_redis_up"] == 0


@pytest.mark.django_db
def test_depths_ages_and_counters(nowhere: None) -> None:
    minute = AT - AT % 60_000
    counts_add(counted("A", [(AT, event) for event in EVENTS]))
    samples_put(minute - 60_000, "A", [SAMPLES[0]._replace(depth=77)])
    samples_put(minute, "A", SAMPLES)
    found = read(signed_in(Role.VIEWER).get("/metrics").content.decode())
    place = 'database="db",instance="A"'
    assert found[f'brokerui_queue_messages{{{place},queue="Q"}}'] == 5
    assert found[f'brokerui_queue_oldest_age_seconds{{{place},queue="Q"}}'] == 0.1
    assert found[f"brokerui_transmission_queue_messages{{{place}}}"] == 6
    assert found['brokerui_waiting_conversations{database="db",error="9793",instance="A"}'] == 2
    assert found[f"brokerui_mirrored_database_is_principal{{{place}}}"] == 1
    assert found["brokerui_samples_timestamp_seconds"] == minute / 1000
    assert found['brokerui_messages_total{database="db",flow="retried",instance="A"}'] == 3
    assert found['brokerui_message_bytes_total{database="db",flow="received",instance="A"}'] == 300
    events = [value for name, value in found.items() if name.startswith("brokerui_events_total")]
    assert sum(events) == len(EVENTS)
    undeliverable = 'class="160",error="11213",instance="A",name="Broker:Message Undeliverable",subclass="1"'
    assert found[f"brokerui_events_total{{{undeliverable}}}"] == 1


def test_connections_and_lists(lists: None, client: Redis) -> None:
    none = ConnectionRow(*[0] * len(ConnectionRow._fields))._replace(instance="A", state_desc="LOGGED_IN")
    rows = [none._replace(transport_stream_id=one, is_accept=one == "1", total_fragments_sent=7) for one in "123"]
    run(client, show_connections(rows, []))
    run(client, put_outgoing("A", [("tcp://b:4022", b"x" * 100)]))
    found = read(signed_in(Role.VIEWER).get("/metrics").content.decode())
    assert found["brokerui_redis_up"] == 1
    assert found['brokerui_connections{direction="in",instance="A",state="LOGGED_IN"}'] == 1
    assert found['brokerui_connections{direction="out",instance="A",state="LOGGED_IN"}'] == 2
    assert found['brokerui_open_connection_fragments{direction="sent",instance="A"}'] == 21
    (held,) = [value for name, value in found.items() if name.startswith("brokerui_endpoint_list_bytes")]
    assert held >= 100


@pytest.mark.django_db
def test_it_costs_as_many_queries_whatever_there_is(nowhere: None) -> None:
    viewer = signed_in(Role.VIEWER)
    samples_put(AT - 60_000, "A", SAMPLES[:1])
    viewer.get("/metrics")
    with CaptureQueriesContext(connection) as before:
        viewer.get("/metrics")
    for number in range(200):
        counts_add({CounterKey(AT, "A", 124, 1, f"d{number}", 0): CounterSums(1, 1, 1)})
    samples_put(AT, "A", [SAMPLES[0]._replace(queue=f"q{number}") for number in range(200)])
    with CaptureQueriesContext(connection) as after:
        viewer.get("/metrics")
    assert len(after) == len(before)


def test_every_metric_is_documented(lists: None) -> None:
    text = signed_in(Role.VIEWER).get("/metrics").content.decode()
    assert set(documented()) == {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}


def test_a_counter_of_the_product_sums_the_events_of_an_instance() -> None:
    rows = [
        Total("A", 124, 1, "db", 0, 3, 3, 30),
        Total("A", 124, 6, "db", 0, 2, 2, 20),
        Total("A", 124, 6, "other", 0, 4, 4, 40),
        Total("A", 160, 1, "db", 11218, 5, 0, 0),
        Total("B", 163, 1, "db", 0, 7, 0, 0),
        Total("B", 163, 3, "db", 0, 1, 0, 0),
        Total("B", 1005, 2, "", 0, 9, 9, 0),
    ]
    metrics = list(product_counters(rows))
    found = read(exposition(metrics).decode())
    assert found['sqlserver_broker_sql_sends_total{instance="A"}'] == 3
    assert found['sqlserver_broker_enqueued_messages_total{instance="A"}'] == 6
    assert found['sqlserver_broker_dropped_messages_total{instance="A"}'] == 5
    assert found['sqlserver_broker_dropped_messages_total{instance="B"}'] == 0
    assert found['sqlserver_broker_activation_tasks_started_total{instance="B"}'] == 7
    assert found['sqlserver_broker_activation_errors_total{instance="B"}'] == 1
    assert found['sqlserver_broker_dequeued_transmission_messages_total{instance="B"}'] == 9
    text = exposition(metrics).decode()
    assert "# HELP sqlserver_broker_sql_sends_total SQLServer:Broker Statistics, SQL SEND Total" in text


def test_each_counter_of_the_product_is_had_or_said_to_be_missing() -> None:
    """The table names every counter of the four objects, once."""
    text = (CHECKOUT / "docs/reference/metrics.md").read_text(encoding="utf-8")
    table = text.partition("## Counters of SQL Server")[2]
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines() if line.startswith("| ")][1:]
    by_metric = {name: row[3] for row in rows for name in NAME.findall(row[1])}
    assert {one.metric: f"{one.counted_by}, {one.name}" for one in COUNTERS}.items() <= by_metric.items()
    assert all(row[1] != "none" or row[4] for row in rows), "a reason for each that is missing"
    objects = {row[3].rpartition(",")[0] for row in rows}
    assert objects >= {"Broker Statistics", "Broker/DBM Transport", "Broker Activation", "Broker TO Statistics"}


def documented() -> dict[str, set[str]]:
    """Labels by metric, as the reference has them."""
    text = (CHECKOUT / "docs/reference/metrics.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    return {name: {one.strip() for one in row[2].split(",")} for row in rows for name in NAME.findall(row[1])}


def expressions() -> list[str]:
    """Every expression of the example of a dashboard and of the file of alert rules."""
    board = json.loads((CHECKOUT / "deploy/grafana/brokerui.json").read_text(encoding="utf-8"))
    rules = yaml.safe_load((CHECKOUT / "deploy/prometheus/brokerui.rules.yaml").read_text(encoding="utf-8"))
    shown = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    watched = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    return [*shown, *watched, *(one["query"] for one in board["templating"]["list"] if one["type"] == "query")]


def test_the_examples_name_only_metrics_and_labels_that_are_there() -> None:
    known = documented()
    for expression in expressions():
        assert expression.count("(") == expression.count(")")
        names = {one.removesuffix("_bucket") for one in re.findall(r"\bbrokerui_\w+", expression)}
        assert names, expression
        assert names <= set(known), expression
        labels = set(re.findall(r"(\w+)=~?\"", expression))
        labels |= {one.strip() for some in re.findall(r"by \(([^)]*)\)", expression) for one in some.split(",")}
        assert labels <= {label for name in names for label in known[name]}, expression
