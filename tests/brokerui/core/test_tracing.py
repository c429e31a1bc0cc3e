"""Traces by the standard variables: requests, tasks and the way of messages, sent to a collector made here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from brokerui.core.tracing import tracing_is_wanted, tracing_problem
from tests.brokerui.product import environment

CONVERSATION = "6f3f0d5e-0000-4000-8000-0000000000c1"
HANDLE = "6f3f0d5e-0000-4000-8000-0000000000a1"
SECRET = "S3CR3T"
TRACED = f"""
import django; django.setup()
from django.test import Client
from celery.signals import task_postrun, task_prerun
from brokerui.eventlog.recording import recorder
from routing.common.broker_events import ConversationEvent, MessagesSent
from routing.common.event_subclasses import ConversationSubclass, SentSubclass
recorder.has_thread = False
caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
client = Client(headers={{"host": "localhost", "traceparent": caller}})
assert client.get("/healthz", {{"token": "{SECRET}"}}).status_code == 200
assert client.get("/conversations/{HANDLE}/").status_code == 302
class Task:
    name = "brokerui.a_task"
task_prerun.send(sender=Task, task_id="1", task=Task)
task_postrun.send(sender=Task, task_id="1", task=Task)
common = ("{CONVERSATION}", "{HANDLE}")
sending = ConversationSubclass.SEND_MESSAGE
sent = ConversationEvent(sending, "one", "CO", *common, "{HANDLE}", True, "From", "To", None, 0, 9)
left = MessagesSent(SentSubclass.SENT, "one", *common, True, "From", "To", None, "r", "tcp://b:1", 1, 0, 0, 1, 9, 0)
recorder.note("A", [(1_700_000_000_000, sent), (1_700_000_000_100, left)])
"""


class Collector(HTTPServer):
    """An OTLP collector on loopback."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []

    @property
    def spans(self) -> dict[str, Any]:
        found = {}
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                names = {one.key: one.value.string_value for one in resource.resource.attributes}
                assert names["service.name"] == "duty"
                found |= {span.name: span for scope in resource.scope_spans for span in scope.spans}
        return found


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_given: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def run(home: Path, program: str, **more: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in environment(home).items() if not name.startswith("OTEL_")}
    words = [sys.executable, "-c", program]
    return subprocess.run(words, env={**plain, **more}, capture_output=True, text=True, check=True)


def test_requests_tasks_and_messages_are_spans_without_values(collector: Collector, tmp_path: Path) -> None:
    endpoint = f"http://127.0.0.1:{collector.server_port}"
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_SERVICE_NAME": "duty", "OTEL_BSP_SCHEDULE_DELAY": "50"}
    run(tmp_path, TRACED, **variables)
    spans = collector.spans
    assert {"GET healthz", "brokerui.a_task", "send", "transmit"} <= spans.keys()
    assert spans["GET healthz"].trace_id.hex() == "0af7651916cd43dd8448eb211c80319c", "the trace of the caller"
    assert spans["send"].trace_id.hex() == spans["transmit"].trace_id.hex() == CONVERSATION.replace("-", "")
    values = {one.key: one.value.string_value for one in spans["send"].attributes}
    assert (values["brokerui.conversation_handle"], values["brokerui.instance"]) == (HANDLE, "A")
    assert spans["transmit"].start_time_unix_nano == 1_700_000_000_100 * 1_000_000
    assert not any(SECRET.encode() in body for body in collector.bodies)
    assert "GET conversations/<uuid:handle>/" in spans


def test_a_missing_package_is_one_warning(tmp_path: Path) -> None:
    """A folder that hides the package stands in for an installation without it."""
    hidden = tmp_path / "hidden" / "opentelemetry"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ModuleNotFoundError('no', name='opentelemetry')\n")
    program = "import logging; logging.basicConfig()\nfrom brokerui.core.tracing import span\nfor _ in '12':\n"
    program += "    with span('a') as found:\n        assert found is None\n"
    path = os.pathsep.join([str(hidden.parent), *sys.path])
    ended = run(tmp_path, program, OTEL_TRACES_EXPORTER="otlp", PYTHONPATH=path)
    assert ended.stderr.count("opentelemetry is not installed; pip install 'brokerui[otel]'") == 1


@pytest.mark.parametrize(
    ("variables", "is_wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, False),
    ],
)
def test_the_variables_say_whether_traces_are_wanted(variables: dict[str, str], is_wanted: bool) -> None:
    assert tracing_is_wanted(variables) is is_wanted


@pytest.mark.parametrize("variables", [{"OTEL_TRACES_EXPORTER": "zipkin"}, {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}])
def test_values_that_cannot_work_are_named(variables: dict[str, str]) -> None:
    (value,) = variables.values()
    assert f"is {value}: BrokerUI has" in tracing_problem(variables)
