"""The cyclic collector rests for a while, and is as it was afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from routing.collector import collector_at_rest, settle


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


@pytest.mark.parametrize("is_on", [True, False])
def test_it_rests_and_is_as_it_was(is_on: bool) -> None:
    (gc.enable if is_on else gc.disable)()
    with collector_at_rest():
        assert not gc.isenabled()
    assert gc.isenabled() == is_on


def test_it_is_as_it_was_after_an_error_too() -> None:
    with pytest.raises(KeyError), collector_at_rest():
        raise KeyError
    assert gc.isenabled()


def test_what_has_settled_is_not_looked_through() -> None:
    gc.unfreeze()
    kept = [[number] for number in range(1000)]
    settle()
    assert gc.get_freeze_count() > len(kept)
    assert not any(one is kept for one in gc.get_objects())
