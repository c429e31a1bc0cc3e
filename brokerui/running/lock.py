"""One product a home: whoever runs it holds a lock, and writes down what runs."""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from routing.errors import Invalid
from routing.sentence import Sentence, say

PATIENCE_SECONDS = 20.0
"""How long the processes of one that was killed may take to end."""
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Running:
    """A process of the product."""

    name: str
    pid: int
    """0: it ended, and is about to be started again."""
    restarts: int


@dataclass(frozen=True, slots=True)
class State:
    """What the supervisor of a home says of itself."""

    pid: int
    address: str
    processes: tuple[Running, ...] = ()


def is_alive(pid: int) -> bool:
    """Whether there is such a process, of whomever."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def state_of(home: Path) -> State | None:
    """What runs in this home; None where nothing does."""
    try:
        written = json.loads(_state_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    processes = tuple(Running(**each) for each in written["processes"])
    state = State(written["pid"], written["address"], processes)
    return state if is_alive(state.pid) and _is_locked(home) else None


class HomeLock:
    """Held as long as any process has its descriptor open, so that it outlives a supervisor that is killed."""

    def __init__(self, home: Path) -> None:
        self._home = home
        _folder(home).mkdir(mode=0o700, exist_ok=True)
        self.descriptor = os.open(_lock_path(home), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, patience: float = PATIENCE_SECONDS) -> None:
        """Raises `Invalid` where the product runs in this home already."""
        until = time.monotonic() + patience
        while not _try(self.descriptor, fcntl.LOCK_EX):
            state = state_of(self._home)
            if state is not None or time.monotonic() > until:
                raise Invalid("", _refusal(self._home, state))
            time.sleep(POLL_SECONDS)
        _state_path(self._home).unlink(missing_ok=True)

    def write(self, state: State) -> None:
        """For `status`, and for who starts a second one."""
        path = _state_path(self._home)
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
        draft.replace(path)

    def release(self) -> None:
        """Nothing runs here any more."""
        _state_path(self._home).unlink(missing_ok=True)
        os.close(self.descriptor)


def _refusal(home: Path, state: State | None) -> Sentence:
    if state is None:
        return say("BrokerUI is still stopping in {home}; try again in a moment", home=home)
    return say(
        "BrokerUI runs in {home} already, as process {pid}: {address}; BROKERUI_HOME=… chooses another home",
        home=home,
        pid=state.pid,
        address=state.address,
    )


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked(home: Path) -> bool:
    try:
        descriptor = os.open(_lock_path(home), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _try(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _folder(home: Path) -> Path:
    return home / "run"


def _lock_path(home: Path) -> Path:
    return _folder(home) / "up.lock"


def _state_path(home: Path) -> Path:
    return _folder(home) / "up.json"
