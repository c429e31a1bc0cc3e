"""The lists of arrived frames into which a worker looks, again and again while frames arrive.

A worker that waits has its bell and the frames brought on one way: a frame that comes alone waits for no second one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple
from uuid import uuid4

from django.conf import settings

from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.exchange.lists import Arrived, Command, run_when_popped, take_shards, waiting
from brokerui.messaging.exchange.outbox import redis

FEW: Final = 8
"""Lists that a worker looks into without asking first which of them hold something."""
BYTES_AT_ONCE: Final = 1 << 20
"""Bytes of arrived frames in one batch: some hundreds of small messages."""


class TakenAhead(NamedTuple):
    """Frames that came with the bell, and the name under which the worker has taken them."""

    worker: str
    arrived: Arrived


class ArrivedLists:
    """The lists of all hosted instances. Of few, it is tried to take from each: that is one way to Redis, where asking
    first makes two."""

    def __init__(self) -> None:
        self.hosted: Sequence[str] = ()
        self._ahead: dict[str, TakenAhead] = {}
        self._is_asking = True
        self.look_again()

    def look_again(self) -> None:
        """Read which instances are hosted. The next look asks which lists hold something: it may find one of a shard
        that there was when `ENDPOINT_SHARDS` was larger."""
        self.hosted = hosted_names()
        self._is_asking = True
        self._ahead = {name: taken for name, taken in self._ahead.items() if name in self.hosted}

    def to_look_into(self) -> Iterable[tuple[str, Sequence[int]]]:
        """Return the instances with the shards to take from."""
        if self._is_asking or self._are_many():
            self._is_asking = False
            return {**dict.fromkeys(self._ahead, _shards()), **_waiting_shards(self.hosted)}.items()
        return [(name, _shards()) for name in self.hosted]

    def _are_many(self) -> bool:
        return len(self.hosted) * len(_shards()) > FEW

    def listen(self, bell: str, seconds: float) -> bool:
        """Wait for a bell, at most this many seconds, and take the frames that have come then. Returns whether it
        rang, or anything was taken, which is in `taken_ahead`. Raises `RedisError`."""
        names = () if self._is_asking or self._are_many() else self.hosted
        worker = new_worker()
        commands = [taking(name, _shards(), worker) for name in names]
        is_rung, outcomes = run_when_popped(redis(), bell, seconds, commands)
        for name, arrived in zip(names, outcomes, strict=True):
            if arrived is not None and arrived.shards:
                self._ahead[name] = TakenAhead(worker, arrived)
        return is_rung or bool(self._ahead)

    def taken_ahead(self, instance: str) -> TakenAhead | None:
        """Return the frames of an instance that came with the bell, once."""
        return self._ahead.pop(instance, None)

    @property
    def has_taken(self) -> bool:
        """Whether frames came with the bell that nobody has asked for yet."""
        return bool(self._ahead)


def taking(instance: str, shards: Sequence[int], worker: str) -> Command[Arrived]:
    """Return the command by which a worker takes one batch from shards."""
    return take_shards(instance, shards, BYTES_AT_ONCE // len(shards), worker)


def new_worker() -> str:
    """Return the name under which a worker takes: no other has it."""
    return uuid4().hex


def _shards() -> Sequence[int]:
    return range(settings.ENDPOINT_SHARDS)


def _waiting_shards(instances: Iterable[str]) -> Mapping[str, list[int]]:
    """Return the shards in which arrived frames wait, by instance."""
    found: dict[str, list[int]] = {name: [] for name in instances}
    for name, to in waiting(redis()):
        if name in found and isinstance(to, int):
            found[name].append(to)
    return {name: shards for name, shards in found.items() if shards}
