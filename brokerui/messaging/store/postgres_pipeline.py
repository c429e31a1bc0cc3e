"""A pipeline of the driver whose statements leave together, when the first result is read or at its end.

The driver's own sends each statement by itself, and the server wakes for each: four to five times instead of twice for
five small statements, which costs it a quarter of its processor time (`benchmarks/messaging/on_pipeline.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg


@contextmanager
def sent_together(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Statements that are executed within wait in the driver's memory until a result is read, or until the end."""
    with connection.pipeline() as pipeline:
        # The driver's step after each statement, and after the mark that ends them. Where another version of it has no
        # such step, its statements leave one by one.
        pipeline._communicate_gen = partial(_written, pipeline)  # type: ignore[method-assign, assignment]
        yield


def _written(pipeline: psycopg.Pipeline) -> Iterator[None]:
    """Write commands into the buffer of the connection, without waiting for it or sending it."""
    while pipeline.command_queue:
        pipeline.command_queue.popleft()()
    yield from ()
