"""The lists of arrived frames into which a worker looks, again and again while frames arrive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.conf import settings

from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.exchange.lists import waiting
from brokerui.messaging.exchange.outbox import redis

FEW: Final = 8
"""Lists that a worker looks into without asking first which of them hold something."""


class ArrivedLists:
    """The lists of all hosted instances. Of few, it is tried to take from each: that is one way to Redis, where asking
    first makes two."""

    def __init__(self) -> None:
        self.hosted: Sequence[str] = ()
        self._is_asking = True
        self.look_again()

    def look_again(self) -> None:
        """Read which instances are hosted. The next look asks which lists hold something: it may find one of a shard
        that there was when `ENDPOINT_SHARDS` was larger."""
        self.hosted = hosted_names()
        self._is_asking = True

    def to_look_into(self) -> Iterable[tuple[str, Sequence[int]]]:
        """Return the instances with the shards to take from."""
        shards = range(settings.ENDPOINT_SHARDS)
        if self._is_asking or len(self.hosted) * len(shards) > FEW:
            self._is_asking = False
            return _waiting_shards(self.hosted).items()
        return [(name, shards) for name in self.hosted]


def _waiting_shards(instances: Iterable[str]) -> Mapping[str, list[int]]:
    """Return the shards in which arrived frames wait, by instance."""
    found: dict[str, list[int]] = {name: [] for name in instances}
    for name, to in waiting(redis()):
        if name in found and isinstance(to, int):
            found[name].append(to)
    return {name: shards for name, shards in found.items() if shards}
