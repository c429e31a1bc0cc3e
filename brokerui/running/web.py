"""The web process: prepares the home, then serves the site on a socket that it inherits."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from functools import partial
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import DatabaseError
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]  # it has no types
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]  # the same
from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from brokerui.core.conditions import RefusedConditionError
from brokerui.core.languages import local
from brokerui.core.start import loading
from brokerui.running.bootstrap import prepare
from brokerui.running.report import ERROR, PREPARED, READY, report
from routing.common.sentence import say

MAX_WORKERS = 2
THREADS = 8
SWITCH_S = 0.001
"""A thread that makes a large page lets others go on after this time: a poll that finds nothing new needs little."""
GRACE_S = 5
"""Time that requests may take to end when the web stops, in seconds."""
ANSWER_S = 60
POLL_S = 0.2


def main(listener: int, reports: int) -> int:
    """Serve on the socket `listener`, report to the pipe `reports`; both are open file descriptors."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
    try:
        prepared = prepare()
    except (OSError, CommandError, DatabaseError, ImproperlyConfigured, RefusedConditionError) as error:
        report(reports, ERROR, text=local(say("the home cannot be made ready: {reason}", reason=str(error))))
        return 1
    report(reports, PREPARED, **prepared._asdict())
    _load_ahead()
    return _serve(listener, reports)


class _Log(Logger):
    """Sends the messages of gunicorn to the root logger, so that they look like all others."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


class _Site(BaseApplication):
    """The application of gunicorn, configured here and not by its own files or arguments."""

    def __init__(self, listener: int, reports: int) -> None:
        self.listener = listener
        self.announce = partial(_announce, _url(listener), reports)
        super().__init__()

    def load_config(self) -> None:
        """Set few processes with several threads: requests are short and share the estates in memory."""
        for name, value in self._options().items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Return the WSGI application, in each worker."""
        from brokerui.wsgi import application  # noqa: PLC0415 - after Django is set up

        return application

    def _options(self) -> dict[str, Any]:
        return {
            "bind": f"fd://{self.listener}",
            "worker_class": "brokerui.running.slow_clients.BufferedWorker",
            "workers": int(os.environ.get("WEB_CONCURRENCY") or min(MAX_WORKERS, os.cpu_count() or 1)),
            "threads": THREADS,
            "graceful_timeout": GRACE_S,
            "loglevel": "warning",
            "logger_class": _Log,
            "control_socket_disable": True,
            "post_worker_init": self._begun,
        }

    def _begun(self, worker: Any) -> None:
        """Start the threads of a worker: the master must not have any when it forks."""
        from brokerui.running.preload import preload_start  # noqa: PLC0415 - after Django is set up

        sys.setswitchinterval(SWITCH_S)
        preload_start()
        if worker.age == 1:
            self.announce()


def _load_ahead() -> None:
    """Load the estate in the master, so that its workers share the memory."""
    with loading():
        from brokerui.running.preload import preload_estate, preload_program  # noqa: PLC0415 - after Django is set up

        preload_program()
    preload_estate()


def _serve(listener: int, reports: int) -> int:
    try:
        Arbiter(_Site(listener, reports)).run()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    return 0


def _url(listener: int) -> str:
    """Return the address of `/readyz`."""
    with socket.socket(fileno=os.dup(listener)) as served:
        host, port = served.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - all of them: ours is among them
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/readyz"


def _announce(url: str, reports: int) -> None:
    """Report once the site answers."""
    threading.Thread(target=_report_when_ready, args=(url, reports), daemon=True).start()


def _report_when_ready(url: str, reports: int) -> None:
    until = time.monotonic() + ANSWER_S
    while not _is_ready(url):
        if time.monotonic() > until:
            report(reports, ERROR, text=local(say("the site does not answer")))
            return
        time.sleep(POLL_S)
    report(reports, READY)


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 - our own address
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
