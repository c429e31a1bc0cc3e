"""The users who have a draft open: known while Valkey answers, none while it is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brokerui.changes import presence
from brokerui.changes.presence import HERE_S, note_reader
from tests.brokerui.messaging.endpoint.valkey import Valkey


@pytest.fixture
def valkey(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Valkey]:
    monkeypatch.setattr(presence._NotAsked, "until", 0.0)
    with Valkey(tmp_path) as found:
        settings.REDIS_URL = found.url
        yield found


def test_others_are_named_the_last_one_first(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(presence.time, "time", lambda: now[0])
    assert note_reader(7, "ada") == []
    now[0] += 1
    assert note_reader(7, "bob") == ["ada"]
    now[0] += 1
    assert note_reader(7, "eve") == ["bob", "ada"]
    assert note_reader(8, "eve") == []
    now[0] += HERE_S - 1.5  # since the call of eve; ada is gone then
    assert note_reader(7, "eve") == ["bob"]


def test_nobody_is_known_while_valkey_is_away(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence._NotAsked, "until", 0.0)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert note_reader(7, "ada") == []
    assert presence._NotAsked.until > 0
    assert note_reader(7, "bob") == []
