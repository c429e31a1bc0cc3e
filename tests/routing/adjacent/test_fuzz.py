"""The fuzzer runs, reaches what it should, and sees what it looks for."""

from __future__ import annotations

import random

import pytest

from routing.adjacent.errors import Corrupted
from scripts import fuzz_wire
from scripts.wire_mutations import changed


def test_some_inputs_of_each_kind_pass() -> None:
    outcomes, _ = fuzz_wire.fuzz(0.0, seed=1, least=3000)
    assert outcomes.total() == 3000
    reached = {outcome for (_, outcome) in outcomes}
    assert reached >= {"opened", "not opened", "refused", "read", "online", "claiming", "deciding", "closed", "failed"}
    assert reached >= {"question", "answer"}


def test_a_reader_that_fails_is_seen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def careless(raw: bytes) -> None:
        if len(raw) > 200:
            raise IndexError(raw[-1])
        raise Corrupted("length", None)  # type: ignore[arg-type] - the sentence is not looked at

    monkeypatch.setattr(fuzz_wire, "read_fragment", careless)
    with pytest.raises(IndexError):
        fuzz_wire.fuzz(0.0, seed=1, least=3000)
    assert capsys.readouterr().err.startswith("try_fragment, seed 1, input ")


def test_a_run_is_repeatable() -> None:
    first, second = (changed(b"x" * 100, random.Random(7)) for _ in range(2))
    assert first == second
