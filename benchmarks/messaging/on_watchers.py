"""Times of pages and polls for people who watch at the same time; see `watchers.py`."""

from __future__ import annotations

import http.client
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.test import Client

from benchmarks.claims import claim, machine
from benchmarks.messaging.monitored import fill
from brokerui.accounts.levels import Role
from brokerui.accounts.services import roles_ensure, user_create
from brokerui.core.valkey import valkey_binary
from brokerui.estate.models import Instance
from tests.brokerui.product import eventually, free_port

PAGES = (
    *("/overview/", "/overview/?span=24h", "/overview/?span=30d"),
    *("/delayed/", "/delayed/?span=24h", "/delayed/?cause=9793"),
    *("/queues/", "/queues/?span=24h", "/service_queues/", "/mirrors/", "/connections/", "/forwarding/"),
    *("/conversations/", "/conversations/?state=CO", "/events/", "/events/?event_class=160"),
)
"""Their piece is polled."""
OTHERS = ("/expiry/", "/alerts/", "/servers/", "/jobs/", "/traffic/", "/goto/?q=srv0001")
POLL_S = 3.0
THINK_S = 1.0
"""A watcher's pause between two pages, on average."""
PAGE_MS, POLL_MS = 300.0, 30.0
SEED = 1


@dataclass
class Times:
    """Milliseconds of each kind of answer; threads share it."""

    of: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)

    def p95(self, *kinds: str) -> float:
        all_of = [took for kind in kinds for took in self.of[kind]]
        return statistics.quantiles(all_of, n=20)[-1] if len(all_of) > 1 else max(all_of, default=0.0)


class Watcher:
    """A browser of one person, with a connection that stays open."""

    def __init__(self, port: int, session: str, times: Times, seed: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookie = f"{settings.SESSION_COOKIE_NAME}={session}"
        self.times, self.random = times, random.Random(seed)

    def get(self, path: str, kind: str, headers: Mapping[str, str] | None = None) -> http.client.HTTPResponse:
        began = time.perf_counter()
        answer = self._answer(path, {"Cookie": self.cookie, **(headers or {})})
        took = (time.perf_counter() - began) * 1e3
        if kind:
            self.times.of[f"{kind} {answer.status}"].append(took)
            self.times.of[path].append(took)
        return answer

    def _answer(self, path: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """As a browser does it: once more where the server has closed a connection that nobody used for a while."""
        for _ in range(2):
            try:
                self.connection.request("GET", path, headers=dict(headers))
                answer = self.connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionError):
                self.connection.close()
            else:
                answer.read()
                return answer
        raise ConnectionError(f"no answer for {path}")

    def is_there(self, path: str) -> bool:
        return self.get(path, "").status == HTTPStatus.OK

    def open_all(self) -> None:
        """Open each page once, in an order of its own, with pauses."""
        pages = [*PAGES, *OTHERS]
        self.random.shuffle(pages)
        for path in pages:
            answer = self.get(path, "page")
            if answer.status not in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
                self.times.wrong.append(f"{path}: {answer.status}")
            time.sleep(self.random.expovariate(1 / THINK_S))

    def poll(self, path: str, kind: str, seconds: float) -> None:
        """Stay on a page for these seconds."""
        etag, until = "", time.monotonic() + seconds
        time.sleep(self.random.uniform(0, POLL_S))
        self.get(path, "", {"HX-Request": "true"})  # as long as the database was still being counted
        while time.monotonic() < until:
            known = {"If-None-Match": etag} if etag else {}
            answer = self.get(path, kind, {"HX-Request": "true", **known})
            etag = answer.headers.get("ETag", etag)
            time.sleep(POLL_S)


def measure(watchers: str, seconds: str) -> bool:
    """On the database of the environment, which is empty; whether every claim is kept."""
    print(machine())
    call_command("migrate", interactive=False, verbosity=0)
    began = time.perf_counter()
    fill()
    print(f"       filled in {time.perf_counter() - began:.0f} s", flush=True)
    sessions = _sessions(int(watchers))
    times = Times()
    with tempfile.TemporaryDirectory(prefix="w-", dir="/tmp") as folder, _web(Path(folder)) as port:
        everyone = [Watcher(port, session, times, SEED + number) for number, session in enumerate(sessions)]
        _warm(everyone[0])
        _together(everyone, "open_all")
        quiet = time.monotonic()
        _together(everyone, "poll", "quiet", float(seconds))
        print(f"       nothing was committed for {time.monotonic() - quiet:.0f} s", flush=True)
        with _commits():
            _together(everyone, "poll", "busy", float(seconds))
    return _claims(times)


def _claims(times: Times) -> bool:
    for path in (*PAGES, *OTHERS):
        print(f"       {path}: {times.p95(path):,.0f} ms at the 95th percentile of {len(times.of[path])}")
    for kind in sorted(kind for kind in times.of if not kind.startswith("/")):
        took = times.of[kind]
        print(f"       {kind}: median {statistics.median(took):,.1f} ms, of {len(took)}")
    print(*times.wrong, sep="\n")
    return all(
        [
            claim("a page, 95th percentile", times.p95("page 200"), PAGE_MS, "ms"),
            claim("a poll that finds nothing new, 95th percentile", times.p95("quiet 304"), POLL_MS, "ms"),
            claim("a poll while others commit, 95th percentile", times.p95("busy 200", "busy 304"), PAGE_MS, "ms"),
            claim("unexpected answers", len(times.wrong), 0, ""),
        ]
    )


def _sessions(count: int) -> list[str]:
    roles_ensure()
    sessions = []
    for number in range(count):
        user = user_create(name=f"watcher{number}", password="correct horse battery staple", role=Role.OPERATOR)
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        sessions.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    connections.close_all()
    return sessions


def _warm(watcher: Watcher) -> None:
    """Open each page until it is there: the first count of all rows is made beside the requests."""
    for path in (*PAGES, *OTHERS):
        eventually(partial(watcher.is_there, path))


def _together(watchers: Sequence[Watcher], method: str, *arguments: object) -> None:
    """Let all do the same at the same time; who polls has a page each, in turn."""
    threads = []
    for number, watcher in enumerate(watchers):
        own = (PAGES[number % len(PAGES)], *arguments) if arguments else ()
        threads.append(threading.Thread(target=getattr(watcher, method), args=own))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def _commits() -> Iterator[None]:
    """Another process of the product that commits once a second, something that no page shows."""
    ended = threading.Event()

    def commit() -> None:
        while not ended.wait(1):
            Instance.objects.filter(pk=Instance.objects.values("pk")[:1]).update(hosted=True)
        connections.close_all()

    thread = threading.Thread(target=commit)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def _web(home: Path) -> Iterator[int]:
    """The web as `brokerui up` starts it, with a Valkey; gives its port."""
    path = home / "valkey.sock"
    valkey = subprocess.Popen(
        [valkey_binary(), "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(home)],
        stdout=subprocess.DEVNULL,
    )
    eventually(path.exists)
    port = free_port()
    listener = socket.create_server(("127.0.0.1", port))
    reader, writer = os.pipe()
    web = subprocess.Popen(
        [sys.executable, "-m", "brokerui.running.web", str(listener.fileno()), str(writer)],
        env={**os.environ, "REDIS_URL": f"unix://{path}"},
        pass_fds=(listener.fileno(), writer),
    )
    os.close(writer)
    threading.Thread(target=lambda: os.fdopen(reader).read(), daemon=True).start()
    try:
        eventually(lambda: _is_ready(port))
        yield port
    finally:
        for process in (web, valkey):
            process.terminate()
            process.wait()


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/readyz")
    return connection.getresponse().status in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE)
