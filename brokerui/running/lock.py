"""One product for each home: its supervisor holds a lock, and stores which processes run."""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say

PATIENCE_S = 20.0
"""Time that the processes of a killed supervisor may take to end, in seconds."""
POLL_S = 0.1
OWN, SHARED = "up.lock", "up.left.lock"


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process of the product."""

    name: str
    pid: int
    """0: it has ended and is about to be restarted."""
    restarts: int


@dataclass(frozen=True, slots=True)
class ProductState:
    """The supervisor of a home and its processes."""

    pid: int
    address: str
    processes: tuple[RunningProcess, ...] = ()


def is_alive(pid: int) -> bool:
    """Return whether the process exists, of any user."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def state_of(home: Path) -> ProductState | None:
    """Return what runs in this home; None where nothing does."""
    if not _is_locked(_folder(home) / OWN):
        return None
    try:
        written = json.loads(_state_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    processes = tuple(RunningProcess(**each) for each in written["processes"])
    return ProductState(written["pid"], written["address"], processes)


class HomeLock:
    """Two locks: the supervisor's own, and one that the reaper holds too, until no process of it is left."""

    def __init__(self, home: Path) -> None:
        self._home = home
        _folder(home).mkdir(mode=0o700, exist_ok=True)
        self._own = _open(_folder(home) / OWN)
        self.shared = _open(_folder(home) / SHARED)
        """Descriptor that the reaper inherits."""

    def take(self, patience: float = PATIENCE_S) -> None:
        """Raises `Invalid` where the product runs in this home already."""
        # `state_of` holds it for a moment.
        if not _wait(self._own, 3 * POLL_S):
            self._close()
            raise Invalid("", _refusal(self._home))
        if not _wait(self.shared, patience):
            self._close()
            raise Invalid("", say("BrokerUI in {home} is still stopping; try again in a moment", home=self._home))
        _state_path(self._home).unlink(missing_ok=True)

    def write(self, state: ProductState) -> None:
        """Store the state, for `status` and for a second `up`."""
        path = _state_path(self._home)
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
        draft.replace(path)

    def release(self) -> None:
        """Release the home: no process runs in it any more."""
        _state_path(self._home).unlink(missing_ok=True)
        self._close()

    def _close(self) -> None:
        os.close(self.shared)
        os.close(self._own)


def _refusal(home: Path) -> Sentence:
    state = state_of(home)
    if state is None:
        return say("BrokerUI is being started in {home} already", home=home)
    return say(
        "BrokerUI runs in {home} already, as process {pid}: {address}; BROKERUI_HOME=… chooses another home",
        home=home,
        pid=state.pid,
        address=state.address,
    )


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _wait(descriptor: int, patience: float) -> bool:
    until = time.monotonic() + patience
    while not _try(descriptor, fcntl.LOCK_EX):
        if time.monotonic() > until:
            return False
        time.sleep(POLL_S)
    return True


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked(path: Path) -> bool:
    try:
        descriptor = _open(path)
    except OSError:
        return False
    try:
        return not _try(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _folder(home: Path) -> Path:
    return home / "run"


def _state_path(home: Path) -> Path:
    return _folder(home) / "up.json"
