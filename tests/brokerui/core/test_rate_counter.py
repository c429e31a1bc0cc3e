"""What happens how often: counted once for all processes, wherever it is counted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from redis.exceptions import ConnectionError as GoneError

from brokerui.core import rate_counter
from brokerui.core.models import RateCounter
from brokerui.core.rate_counter import count_up, rate_counters_prune


@pytest.fixture(autouse=True)
def asked_again() -> Iterator[None]:
    rate_counter._away.until = 0.0
    yield
    rate_counter._away.until = 0.0


class Valkey:
    """The part of one that is used."""

    def __init__(self, *, is_there: bool = True) -> None:
        self.is_there, self.calls = is_there, 0
        self.kept: dict[str, list[int]] = {}
        self._said: list[Any] = []

    def pipeline(self) -> Valkey:
        self.calls += 1
        self._said = []
        return self

    def __enter__(self) -> Valkey:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def set(self, key: str, value: int, *, ex: int, nx: bool) -> None:
        assert nx
        self._said.append(key not in self.kept)
        self.kept.setdefault(key, [value, ex * 1000])

    def incr(self, key: str) -> None:
        self.kept[key][0] += 1
        self._said.append(self.kept[key][0])

    def pttl(self, key: str) -> None:
        self._said.append(self.kept[key][1])

    def execute(self) -> list[Any]:
        if not self.is_there:
            raise GoneError
        return self._said


def valkey(monkeypatch: pytest.MonkeyPatch, *, is_there: bool) -> Valkey:
    found = Valkey(is_there=is_there)
    monkeypatch.setattr(rate_counter, "redis_client", lambda **_limits: found)
    return found


def test_valkey_counts_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    valkey(monkeypatch, is_there=True)
    assert [count_up("a", 60) for _ in range(3)] == [(1, 60.0), (2, 60.0), (3, 60.0)]
    assert count_up("b", 30) == (1, 30.0)


@pytest.mark.django_db
def test_the_database_counts_while_it_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    away = valkey(monkeypatch, is_there=False)
    assert [count_up("a", 60).times for _ in range(3)] == [1, 2, 3]
    assert count_up("b", 60).times == 1
    assert 59 < count_up("a", 60).left <= 60
    assert away.calls == 1
    rate_counter._away.until = 0.0
    count_up("a", 60)
    assert away.calls == 2


@pytest.mark.django_db
def test_a_span_that_is_over_is_counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    valkey(monkeypatch, is_there=False)
    assert [count_up("a", 60).times for _ in range(2)] == [1, 2]
    RateCounter.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert count_up("a", 60).times == 1
    assert rate_counters_prune() == 0
    RateCounter.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert rate_counters_prune() == 1


@pytest.mark.django_db
def test_who_begins_at_the_same_time_is_counted_too() -> None:
    now = timezone.now()
    rate_counter._begin("a", now)
    rate_counter._begin("a", now)
    assert RateCounter.objects.get().count == 2


@pytest.mark.django_db
def test_a_long_key_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    valkey(monkeypatch, is_there=False)
    assert [count_up("x" * 500, 60).times for _ in range(2)] == [1, 2]
