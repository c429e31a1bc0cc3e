"""`brokerui up`: make the home ready and serve the site until Ctrl-C or SIGTERM."""

import hashlib
import io
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import DatabaseError
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]  # it has no types
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]

from brokerui.languages import here, local
from routing.errors import Invalid
from routing.sentence import Sentence, say

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")

DEFAULT_PORT = 8000
BACKLOG = 512
MAX_WORKERS = 2
THREADS = 8
GRACE_SECONDS = 5
"""How long requests under way may take to end after Ctrl-C."""
ANSWER_SECONDS = 60
POLL_SECONDS = 0.05


def main(port: int | None = None, host: str = "127.0.0.1") -> int:
    """Serve on host:port (default: `PORT` of the environment, else 8000). 0 after a clean stop, else 1."""
    try:
        listener = _listen(host, _port(port))
    except Invalid as fault:
        return _fail(fault.render(here()))
    try:
        prepare()
    except (OSError, CommandError, DatabaseError, ImproperlyConfigured) as error:
        return _fail(local(say("the home cannot be made ready: {reason}", reason=str(error))))
    return _serve(listener)


def prepare() -> None:
    """Make the home ready: catalogues, database, collected files. Quick when nothing changed."""
    from brokerui.catalogues import compile_stale  # noqa: PLC0415 - before the settings ask which are ready

    compile_stale()
    import django  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connections  # noqa: PLC0415

    django.setup()
    call_command("check", stdout=io.StringIO())
    call_command("migrate", interactive=False, verbosity=0)
    _collect_files()
    # A connection must not be shared with the processes that are forked from this one.
    connections.close_all()


def _port(given: int | None) -> int:
    text = str(given) if given is not None else os.environ.get("PORT") or str(DEFAULT_PORT)
    if not text.isdecimal() or int(text) > 65535:
        raise Invalid("PORT", say("must be a number from 0 to 65535, not {got}", got=text))
    return int(text)


def _listen(host: str, port: int) -> socket.socket:
    """Take the port at once: what cannot be served need not be prepared, and nobody takes it meanwhile."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, ValueError) as error:
        problem = say("cannot listen on {where}: {why}", where=f"{host}:{port}", why=_why(error, host, port))
        raise Invalid("", problem) from error


def _why(error: OSError | ValueError, host: str, port: int) -> Sentence | str:
    """The system's reason. A host without an address has a number that is none of the system's."""
    if isinstance(error, ValueError) or not error.errno or error.errno < 0:
        return str(error)
    if _is_taken(host, port):
        return say("another program listens there; PORT=… chooses another")
    return os.strerror(error.errno)


def _is_taken(host: str, port: int) -> bool:
    with closing(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)) as probe:
        return probe.connect_ex((host, port)) == 0


def _collect_files() -> None:
    """Collect and fingerprint the front end's files, unless they are the ones collected last time."""
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    stamp = settings.STATIC_ROOT / ".stamp"
    wanted = _files_stamp()
    if stamp.exists() and stamp.read_text(encoding="ascii") == wanted:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(wanted, encoding="ascii")


def _files_stamp() -> str:
    """A hash of every file's place, size and time of change."""
    from django.contrib.staticfiles.finders import get_finders  # noqa: PLC0415

    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            state = os.stat(storage.path(path))  # noqa: PTH116 - a path of the storage's, as text
            digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


class _Site(BaseApplication):
    """gunicorn, set up here and not by files or arguments of its own."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        super().__init__()

    def load_config(self) -> None:
        """Threads, since requests are short and share the estates in memory; few processes, hence."""
        for name, value in self._options().items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The application, in each worker."""
        from brokerui.wsgi import application  # noqa: PLC0415

        return application

    def _options(self) -> dict[str, Any]:
        host, port = self.listener.getsockname()[:2]
        return {
            "bind": f"fd://{self.listener.detach()}",
            "worker_class": "gthread",
            "workers": int(os.environ.get("WEB_CONCURRENCY") or min(MAX_WORKERS, os.cpu_count() or 1)),
            "threads": THREADS,
            "graceful_timeout": GRACE_SECONDS,
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_worker_init": lambda worker: _announce(host, port) if worker.age == 1 else None,
        }


def _serve(listener: socket.socket) -> int:
    try:
        Arbiter(_Site(listener)).run()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    return 0


def _announce(host: str, port: int) -> None:
    """Say the address once it answers. In the first worker: the master must not fork with a thread in it."""
    threading.Thread(target=_say_when_ready, args=(host, port), daemon=True).start()


def _say_when_ready(host: str, port: int) -> None:
    name = f"[{host}]" if ":" in host else host
    until = time.monotonic() + ANSWER_SECONDS
    while not _is_ready(f"http://{'127.0.0.1' if host == '0.0.0.0' else name}:{port}/readyz"):  # noqa: S104
        if time.monotonic() > until:
            _fail(local(say("the site does not answer; the log above says why")))
            return
        time.sleep(POLL_SECONDS)
    ready = say("BrokerUI is ready: {address}  (Ctrl-C stops it)", address=f"http://{name}:{port}/")
    sys.stdout.write(f"{local(ready)}\n")
    sys.stdout.flush()


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 - our own address
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _fail(message: str) -> int:
    sys.stderr.write(f"error: {message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
