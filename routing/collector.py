"""The cyclic collector, which looks through everything that lives: through a large estate for a quarter of a second.

Estates, answers and findings hold no cycles; what is dropped of them goes at once, without it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_guard = Lock()
_resting = 0
_was_on = True


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """For work whose results live on: looking for cycles meanwhile takes as long as the work.

    Threads may overlap: it rests until the last has ended, and is then as the first found it.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _resting, _was_on  # noqa: PLW0603  # the collector is one for the process, and so is what it was
    with _guard:
        if not _resting:
            _was_on = gc.isenabled()
            gc.disable()
        _resting += 1


def _leave() -> None:
    global _resting  # noqa: PLW0603  # see _enter
    with _guard:
        _resting -= 1
        if not _resting and _was_on:
            gc.enable()


def settle() -> None:
    """Take what lives now out of what is looked through later. For a process that just read a large estate."""
    gc.collect()
    gc.freeze()
