"""Notes when each message passes a stage on its way, in whatever process of a deployment it is then.

Python loads this module by its name where PYTHONPATH names its folder. It wraps functions of the product from outside,
as their modules are loaded. A message is known by the moment with which its body begins, as `send_evenly` writes it.
Each process writes lines of a stage, a moment and messages into a file of its own in the folder BROKERUI_TRACES, and
lines of what keeps processors busy beside them: the tasks of Celery and Python's collections of garbage, each with the
moment at which it began, and its seconds.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TextIO

FOLDER = os.environ.get("BROKERUI_TRACES", "")
MESSAGE: Final = re.compile(rb"(\d{9,10}\.\d{1,9}) {40,}")
EXCHANGE: Final = "brokerui.messaging.exchange"
ENDPOINT: Final = "brokerui.messaging.endpoint"

TRACER: Final = "celery.app.trace"
BESIDE: Final = "beside:"
"""Begins the lines of what runs beside the messages."""

_thread = threading.local()
"""The messages that the worker of this thread has in its hands, and when its reader of a queue heard, and began to ask,
last."""


@cache
def _file(process: int) -> TextIO:
    home, program = Path(os.environ["BROKERUI_HOME"]).name, os.environ.get("BROKERUI_PROCESS", "application")
    return Path(FOLDER, f"{home} {program} {process}.txt").open("a", buffering=1)


def note(stage: str, at: float, messages: Iterable[bytes]) -> None:
    """Write a line, if there are any messages."""
    if names := " ".join(name.decode() for name in messages):
        _file(os.getpid()).write(f"{stage} {at!r} {names}\n")


def found(parts: Iterable[bytes]) -> list[bytes]:
    """Return the messages whose bodies are in frames or in bundles of frames."""
    return [name for part in parts for name in MESSAGE.findall(part)]


# ---------------------------------------------------------------- notes before a function runs, and after it
Noting = Callable[[Sequence[Any], Any], None]


def _sent(words: Sequence[Any], _answer: Any) -> None:
    _thread.sent = found(frame.frame for frame in words[1])
    note("sent", time.time(), _thread.sent)


def _listed(_words: Sequence[Any], _answer: Any) -> None:
    note("listed", time.time(), _thread.__dict__.pop("sent", ()))


def _written(words: Sequence[Any], _answer: Any) -> None:
    note("written", time.time(), found(words[1]))


def _came(words: Sequence[Any], _answer: Any) -> None:
    note("came", time.time(), found(words[2]))


def _arrived(words: Sequence[Any], _answer: Any) -> None:
    note("arrived", time.time(), found(bundle for _, bundle in words[1]))


def _taken(words: Sequence[Any], _answer: Any) -> None:
    _thread.taken = found(words[1])
    note("taken", time.time(), _thread.taken)


def _kept(_words: Sequence[Any], _answer: Any) -> None:
    note("kept", time.time(), _thread.__dict__.get("taken", ()))


def _rung(_words: Sequence[Any], _answer: Any) -> None:
    note("rung", time.time(), _thread.__dict__.pop("taken", ()))


def _heard(_words: Sequence[Any], _answer: Any) -> None:
    _thread.heard = time.time()


def _asked(_words: Sequence[Any], _answer: Any) -> None:
    _thread.begun = time.time()


def _received(_words: Sequence[Any], answer: Any) -> None:
    names = found(message.message_body or b"" for message in answer)
    for stage in ("heard", "begun"):
        if stage in _thread.__dict__:
            note(stage, getattr(_thread, stage), names)
    note("received", time.time(), names)


WRAPPED: Final[Mapping[str, Mapping[str, tuple[Noting | None, Noting | None]]]] = {
    f"{EXCHANGE}.outbox": {"put": (_sent, _listed)},
    f"{EXCHANGE}.queue_notify": {"wait_for_notification": (None, _heard)},
    f"{ENDPOINT}.wire": {"Wire.send": (_written, None)},
    f"{ENDPOINT}.inbox": {"Inbox.put": (_came, None)},
    f"{ENDPOINT}.peer_inbox": {"PeerInbox._settle": (_arrived, None)},
    "brokerui.messaging.workers.arrived_frames": {"_take": (_taken, None)},
    "brokerui.messaging.queue_monitors.signals": {"messages_came": (_kept, _rung)},
    "brokerui.messaging.services": {"_received": (_asked, None), "message_receive": (None, _received)},
}
"""The functions by their modules, each with the notes before and after it runs."""


def wrap(module: ModuleType) -> None:
    """Wrap the functions of a module that has just been loaded, before others take them by name."""
    place: Any = module
    if module.__name__ == TRACER:
        place.build_tracer = _timing(place.build_tracer)
        return
    for name, (before, after) in WRAPPED[module.__name__].items():
        *owner, last = name.split(".")
        place = getattr(module, owner[0]) if owner else module
        setattr(place, last, _noting(getattr(place, last), before, after))


def _noting(function: Callable[..., Any], before: Noting | None, after: Noting | None) -> Callable[..., Any]:
    @wraps(function)
    def noted(*words: Any, **named: Any) -> Any:
        if before is not None:
            before(words, None)
        answer = function(*words, **named)
        if after is not None:
            after(words, answer)
        return answer

    return noted


def _timing(build: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the function that makes a function which runs a task: each run is noted."""

    @wraps(build)
    def built(name: str, *words: Any, **named: Any) -> Any:
        run = build(name, *words, **named)

        @wraps(run)
        def timed(*given: Any, **more: Any) -> Any:
            began = time.time()
            try:
                return run(*given, **more)
            finally:
                _file(os.getpid()).write(f"{BESIDE}{name} {began!r} {time.time() - began!r}\n")

        return timed

    return built


class Wrapping(MetaPathFinder):
    """Finds the modules of `WRAPPED` as Python does, and wraps their functions once they are loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a module whose functions are wrapped; None for all others."""
        is_wrapped = fullname in WRAPPED or fullname == TRACER
        spec = PathFinder.find_spec(fullname, path, target) if is_wrapped else None
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def loaded(module: ModuleType) -> None:
            load(module)
            wrap(module)

        spec.loader.exec_module = loaded  # type: ignore[method-assign]
        return spec


def collected(phase: str, details: Mapping[str, int]) -> None:
    """Note a collection of garbage that took a millisecond or more."""
    if phase == "start":
        _thread.collecting = time.time()
        return
    began = _thread.__dict__.pop("collecting", 0.0)
    if began and (took := time.time() - began) >= 0.001:
        _file(os.getpid()).write(f"{BESIDE}garbage-{details['generation']} {began!r} {took!r}\n")


if FOLDER and "brokerui" in " ".join(sys.orig_argv) + os.environ.get("DJANGO_SETTINGS_MODULE", ""):
    sys.meta_path.insert(0, Wrapping())
    gc.callbacks.append(collected)
