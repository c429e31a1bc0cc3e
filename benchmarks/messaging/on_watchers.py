"""Times of pages and polls for people who watch at the same time; see `watchers.py`."""

from __future__ import annotations

import http.client
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.test import Client

from benchmarks.claims import claim, machine
from benchmarks.messaging.monitored import fill
from benchmarks.messaging.watching import OTHERS, PAGES, Times, Watcher, polling
from brokerui.accounts.levels import Role
from brokerui.accounts.services import roles_ensure, user_create
from brokerui.core.valkey import valkey_binary
from brokerui.estate.models import Instance
from tests.brokerui.product import eventually, free_port

PAGE_MS, POLL_MS = 300.0, 30.0
SEED = 1
TIMES = 5
"""How often each page is opened while all others watch."""


def measure(watchers: str, seconds: str) -> bool:
    """On the database of the environment, which is empty; whether every claim is kept."""
    print(machine())
    call_command("migrate", interactive=False, verbosity=0)
    began = time.perf_counter()
    fill()
    print(f"       filled in {time.perf_counter() - began:.0f} s", flush=True)
    cookies = _cookies(int(watchers))
    times = Times()
    with tempfile.TemporaryDirectory(prefix="w-", dir="/tmp") as folder, _web(Path(folder)) as port:
        everyone = [Watcher(port, cookie, times, SEED + number) for number, cookie in enumerate(cookies)]
        _warm(everyone[0])
        with polling(everyone, "quiet"):
            time.sleep(float(seconds))
        with _commits(), polling(everyone, "busy"):
            everyone[0].other().open_all(TIMES)
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


def _cookies(count: int) -> list[str]:
    roles_ensure()
    cookies = []
    for number in range(count):
        user = user_create(name=f"watcher{number}", password="correct horse battery staple", role=Role.OPERATOR)
        client = Client()
        client.force_login(user, backend="brokerui.accounts.backend.Backend")
        cookies.append(client.cookies[settings.SESSION_COOKIE_NAME].output(attrs=[], header="").strip())
    connections.close_all()
    return cookies


def _warm(watcher: Watcher) -> None:
    """Open each page until it is there: the first count of all rows is made beside the requests."""
    for path in (*PAGES, *OTHERS):
        eventually(partial(watcher.is_there, path))


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
