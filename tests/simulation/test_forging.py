"""No broker breaks, whatever is written to it in frames whose digest fits."""

from __future__ import annotations

import pytest

from routing.runtime.broker import Broker
from tests.extent import IS_ALL
from tests.simulation.forging import forge


def test_no_broker_breaks_of_forged_frames() -> None:
    total = 0
    for seed in range(25 if IS_ALL else 8):
        forged, broke = forge(seed)
        assert not broke, f"python -m tests.simulation.forging --seed {seed}"
        total += forged
    assert total > 40 * seed


def test_one_that_breaks_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here of a message that says that it has very many fragments."""
    real = Broker._take

    def take(self: Broker, work: object, fragment: object) -> None:
        real(self, work, fragment)  # type: ignore[arg-type] - the method is replaced by this function
        [None][fragment.header.fragments // 1000]  # type: ignore[attr-defined] - a forged header, whatever its class

    monkeypatch.setattr(Broker, "_take", take)
    assert any("IndexError" in error for seed in range(25) for error in forge(seed)[1])
