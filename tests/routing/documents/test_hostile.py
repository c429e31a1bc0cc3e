"""The documents of `benchmarks/hostile.py`, small: one error or a right answer, in bounded memory, and soon."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from benchmarks.hostile import KINDS
from routing.common.errors import InputError
from routing.documents.estate_document import read_estate
from tests.extent import IS_ALL

LARGE, SMALL = 2 << 20, 1 << 19
CROWDED = [kind for kind in KINDS if kind.startswith(("a million", "a hundred thousand", "routes to"))]
"""As many objects as the largest document may hold, for its size. Nothing is wrong with these."""
WRONG = [
    kind for kind in KINDS if kind not in CROWDED and kind not in ("instances without end", "services without end")
]
"""Without the two kinds that are wrong only when they are large."""
SECONDS = 20
"""Several times the usual time; a reader whose time grows with the square of the size takes longer."""


def outcome(source: bytes) -> str:
    try:
        return f"{len(read_estate(source, where='e.json').instances)} instances"
    except InputError as error:
        return str(error)


def measured(kind: str) -> tuple[str, float]:
    """The answer, and the memory that it took as a multiple of the document."""
    # An instance has as many databases as it may have, in a document of any size.
    size = LARGE if IS_ALL or kind == "a million databases" else SMALL
    source = KINDS[kind](size)
    tracemalloc.start()
    try:
        return outcome(source), tracemalloc.get_traced_memory()[1] / size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", WRONG)
def test_a_hostile_document_is_refused_in_little_memory_and_soon(kind: str) -> None:
    began = time.process_time()
    answer, memory = measured(kind)
    assert answer.startswith("e.json: ")
    assert len(answer) < 1000
    assert memory < 5
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("kind", CROWDED)
def test_a_crowded_document_is_read_in_bounded_memory_and_soon(kind: str) -> None:
    began = time.process_time()
    answer, memory = measured(kind)
    assert answer.endswith(" instances")
    assert memory < 12
    assert time.process_time() - began < SECONDS
