"""A worker that is killed while it delivers a message: another one delivers it, with the same key."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.homes import MakeHome
from tests.brokerui.product import environment

pytestmark = pytest.mark.slow
BEGIN = """
import sys
from brokerui.core.start import django_ready; django_ready()
from datetime import timedelta
from django.utils import timezone
from brokerui.analysis.alerts.channels import channel_create
from brokerui.analysis.alerts.deliveries import alerts_announce
from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.services import alerts_evaluate
from brokerui.analysis.alerts.tasks import deliveries_send_now
from routing.common.sentence import say
at = timezone.now()
channel_create(kind="webhook", name="hook", target=sys.argv[1], severity="warning", author="me", at=at)
leak = Observed(key="one", figure=5_000, heading=say("one leaks"), page="/servers/", instance="far")
alerts_evaluate({RuleKind.LEAK: [leak]}, at)
assert alerts_announce(at) == 1
deliveries_send_now()
"""
GO_ON = """
import json
from brokerui.core.start import django_ready; django_ready()
from django.utils import timezone
from brokerui.analysis.alerts.channel_models import AlertDelivery
from brokerui.analysis.alerts.deliveries import LAPSE
from brokerui.analysis.alerts.tasks import deliveries_send_now
deliveries_send_now()  # the message still belongs to the worker that was killed
(lost,) = AlertDelivery.objects.all()
early = lost.attempts, lost.sent_at is None, lost.due_at > timezone.now()
AlertDelivery.objects.update(due_at=lost.due_at - LAPSE)  # as two minutes later
deliveries_send_now()
row = AlertDelivery.objects.get()
print(json.dumps([early, row.key, row.attempts, row.sent_at is not None, row.error]))
"""


class Receiver(ThreadingHTTPServer):
    """A server that does not answer the first request, and keeps the key of each."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.keys: list[str] = []
        self.has_first, self.is_over = Event(), Event()


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers["Idempotency-Key"])
        if not self.server.has_first.is_set():
            self.server.has_first.set()
            self.server.is_over.wait(60)
            return
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_given: object) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.is_over.set()
    server.shutdown()
    thread.join()
    server.server_close()


def program(home: Path, text: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", text, *words],
        cwd=CHECKOUT,
        env=environment(home, ALERT_HOSTS="127.0.0.0/8"),
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_killed_worker_loses_no_alert(receiver: Receiver, tmp_path: Path, make_home: MakeHome) -> None:
    home = make_home(tmp_path / "home")
    worker = program(home, BEGIN, f"http://127.0.0.1:{receiver.server_port}/hook")
    try:
        assert receiver.has_first.wait(60)
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.communicate()
    assert worker.returncode == -signal.SIGKILL
    other = program(home, GO_ON)
    printed, _ = other.communicate(timeout=60)
    assert other.returncode == 0
    early, key, attempts, is_sent, error = json.loads(printed)
    assert early == [1, True, True], "two minutes belong to the first worker"
    assert (attempts, is_sent, error) == (2, True, "")
    assert receiver.keys == [key, key]
