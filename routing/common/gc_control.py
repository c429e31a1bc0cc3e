"""The cyclic collector, which looks through everything that lives: through a large estate for a quarter of a second.

Estates, answers and findings hold no cycles; what is dropped of them goes at once, without it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_resting: list[bool] = []
"""For each that has it rest: whether it was on before any did. Appending and taking are one step for all threads."""


@contextmanager
def gc_paused() -> Iterator[None]:
    """For work whose results live on: looking for cycles meanwhile takes as long as the work.

    Threads may overlap: it rests until the last has ended, and is then as the first found it.
    """
    _resting.append(gc.isenabled() or any(_resting))
    gc.disable()
    try:
        yield
    finally:
        if _resting.pop() and not _resting:
            gc.enable()


LARGE_DOCUMENT_BYTES = 1 << 20
"""Bytes of a document whose estate would slow down every collection."""


def gc_freeze_if_large(size: int) -> None:
    """`settle`, where a document of so many bytes that was just read is a large one."""
    if size > LARGE_DOCUMENT_BYTES:
        gc_freeze()


def gc_freeze() -> None:
    """Take what lives now out of what is looked through later. For a process that just read a large estate."""
    gc.collect()
    gc.freeze()
