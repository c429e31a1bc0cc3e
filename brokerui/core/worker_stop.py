"""Whether the Celery worker of this process was asked to stop: a long task ends its turn then.

The worker's own process hears the signal, and its children do the tasks: they share a byte of memory with it.
"""

from __future__ import annotations

import mmap
from typing import Final

from celery.signals import worker_init, worker_shutting_down

_shared: Final = mmap.mmap(-1, 1)
"""1: the worker stops. It is made before the worker forks its children."""


def is_stopping() -> bool:
    """Return whether the worker ends as soon as its tasks have."""
    return _shared[0] == 1


@worker_init.connect
def _begin(**_signal: object) -> None:
    _shared[0] = 0


@worker_shutting_down.connect
def _stop(**_signal: object) -> None:
    _shared[0] = 1
