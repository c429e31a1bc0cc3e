"""The cyclic collector, which looks through everything that lives: through a large estate for a quarter of a second.

Estates, answers and findings hold no cycles; what is dropped of them goes at once, without it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """For work whose results live on: looking for cycles meanwhile takes as long as the work."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def settle() -> None:
    """Take what lives now out of what is looked through later. For a process that just read a large estate."""
    gc.collect()
    gc.freeze()
