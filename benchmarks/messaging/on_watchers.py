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
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, connections
from django.test import Client

from benchmarks.claims import claim, machine
from benchmarks.messaging.monitored import fill
from benchmarks.messaging.watching import ANEW, OTHERS, PAGES, Times, Watcher, polling
from brokerui.accounts.levels import Role
from brokerui.accounts.services import roles_ensure, user_create
from brokerui.core.valkey import valkey_binary
from brokerui.estate.models import Instance
from tests.brokerui.product import eventually, free_port

PAGE_MS, POLL_MS = 300.0, 30.0
SEED = 1
PASSWORD = "correct horse battery staple"
TIMES = 5
"""How often each page is opened while all others watch."""


def measure(watchers: str, seconds: str) -> bool:
    """On the database of the environment, which is empty or was filled before; whether every claim is kept."""
    print(machine())
    call_command("migrate", interactive=False, verbosity=0)
    began = time.perf_counter()
    fill()
    print(f"       filled in {time.perf_counter() - began:.0f} s", flush=True)
    cookies = _cookies(int(watchers))
    times = Times()
    with tempfile.TemporaryDirectory(prefix="w-", dir="/tmp") as folder, _web(Path(folder)) as (port, web):
        everyone = [Watcher(port, cookie, times, SEED + number) for number, cookie in enumerate(cookies)]
        for watcher in everyone:  # the processes of the web share out their connections by chance
            _warm(watcher)
        with polling(everyone, "quiet"), _processor(web):
            time.sleep(float(seconds))
        with _commits(), polling(everyone, "busy"), _processor(web):
            everyone[0].other().open_all(TIMES)
    return _claims(times)


def _claims(times: Times) -> bool:
    for kind in (*PAGES, *OTHERS, *sorted(kind for kind in times.of if not kind.startswith("/"))):
        took = times.of[kind]
        figures = (
            f"median {statistics.median(took):,.1f}, 95th percentile {times.p95(kind):,.1f}, worst {max(took):,.1f}"
        )
        print(f"       {kind}: {figures} ms, of {len(took)}")
    for kind in ("quiet", "busy"):
        polls, anew = len([*times.of[f"{kind} 200"], *times.of[f"{kind} 304"]]), times.of[f"{kind} {ANEW}"]
        print(f"       {kind}: {len(anew)} of {polls} polls were made anew, {sum(anew) / 1e3:,.1f} s in all")
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
        name = f"watcher{number}"
        user = User.objects.filter(username=name).first() or user_create(
            name=name, password=PASSWORD, role=Role.OPERATOR
        )
        client = Client()
        client.force_login(user, backend="brokerui.accounts.backend.Backend")
        cookies.append(client.cookies[settings.SESSION_COOKIE_NAME].output(attrs=[], header="").strip())
    connections.close_all()
    return cookies


@contextmanager
def _processor(web: subprocess.Popen[bytes]) -> Iterator[None]:
    """Print how much of a core each party took meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('data_directory')")
        postmaster = int(Path(cursor.fetchone()[0], "postmaster.pid").read_text(encoding="ascii").split()[0])
    began, before, own = time.perf_counter(), [_ticks(web.pid), _ticks(postmaster)], time.process_time()
    yield
    took = (time.perf_counter() - began) * os.sysconf("SC_CLK_TCK")
    of_web, of_postgresql = ((_ticks(pid) - one) / took for pid, one in zip((web.pid, postmaster), before, strict=True))
    browsers = (time.process_time() - own) / (time.perf_counter() - began)
    print(f"       cores: web {of_web:.2f}, PostgreSQL {of_postgresql:.2f}, browsers {browsers:.2f}", flush=True)


def _ticks(pid: int) -> int:
    """Return the processor time of a process and of all that it started, those too that have ended, in ticks."""
    family = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split())]
    stats = (Path(f"/proc/{one}/stat").read_text(encoding="utf-8").rpartition(")")[2].split() for one in family)
    return sum(sum(map(int, stat[11:15])) for stat in stats)


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
def _web(home: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The web as `brokerui up` starts it, with a Valkey; gives its port and process."""
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
        yield port, web
    finally:
        for process in (web, valkey):
            process.terminate()
            process.wait()


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/readyz")
    return connection.getresponse().status in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE)
