"""Pauses Python's cyclic garbage collector, which takes a quarter of a second to scan a large estate.

Estates, answers and findings hold no reference cycles, so reference counting alone frees them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_pauses: list[bool] = []
"""One entry for each pause in progress: whether the collector was on before the first. append and pop are atomic."""


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the collector during work whose results live on; collecting meanwhile would double the time.

    Pauses of several threads may overlap: the last to end restores the state that the first found.
    """
    _pauses.append(gc.isenabled() or any(_pauses))
    gc.disable()
    try:
        yield
    finally:
        if _pauses.pop() and not _pauses:
            gc.enable()


LARGE_DOCUMENT_BYTES = 1 << 20
"""The estate of a larger document would slow down every collection."""


def gc_freeze_if_large(size: int) -> None:
    """Call `gc_freeze` after reading a document of `size` bytes, if that is large."""
    if size > LARGE_DOCUMENT_BYTES:
        gc_freeze()


def gc_freeze() -> None:
    """Exclude all objects alive now from later collections; for a process that just read a large estate."""
    gc.collect()
    gc.freeze()
