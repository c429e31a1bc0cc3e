"""Work in a process of its own: one that is forked off must not be a copy of the tests', with their threads, their
browser and their Java."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import django


def elsewhere(work: Callable[..., None], *given: object) -> None:
    """A function of a module, done in a new process. Raises what it raises."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=django.setup) as pool:
        pool.submit(work, *given).result()
