"""Conversations that a database leaves over, and how they grow from collection to collection. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from brokerui.analysis.servers.leak_size import left_bytes
from brokerui.analysis.servers.selectors import DAY, StatesAtMoment
from routing.lint.endpoint_leaks import LeakKey, ServiceState
from routing.model.endpoint_groups import AGES

STEADY: Final = 0.5
"""Growth is steady where no interval differs from the mean by more than this part of it."""
STEADY_FROM: Final = 4
"""Collections from which growth can be called steady."""
LEAST_SPAN: Final = timedelta(hours=1)
"""Between two collections whose growth says something of a day."""


@dataclass(frozen=True, slots=True)
class EarlierSums:
    """The endpoints of a database in an earlier collection."""

    at: datetime
    endpoints: Mapping[LeakKey, int]


@dataclass(frozen=True, slots=True)
class Leader:
    """The kind of conversations that grows most."""

    of: ServiceState
    share: int
    """Of 100 new conversations that are left over, those of this kind."""
    a_day: int
    is_steady: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseLeak:
    """One database in its last collection, beside the one before and the first."""

    server: str
    database: str
    at: datetime | None
    """None: an import of an earlier release brought it without a moment."""
    groups: Sequence[ServiceState]
    """Leaks first."""
    before: EarlierSums | None = None
    first: EarlierSums | None = None
    history: Sequence[StatesAtMoment] = ()
    left_out: int = 0
    """Endpoints that are in none of the groups; an estimate."""
    queues: Mapping[str, str] = field(default_factory=dict)
    """By service: `schema.name` of its queue."""

    @property
    def leaks(self) -> list[ServiceState]:
        return [one for one in self.groups if one.is_leak]

    @property
    def left(self) -> int:
        """Conversations that will never close by themselves."""
        return sum(one.endpoints for one in self.leaks)

    @property
    def left_bytes(self) -> int:
        """About how many bytes their rows have."""
        return left_bytes(self.leaks)

    @property
    def endpoints(self) -> int:
        return sum(one.endpoints for one in self.groups)

    @property
    def ages(self) -> list[int | None]:
        """The groups of age that have a column: the last is that of unknown age, where there is one."""
        has_unknown = any(None in one.ages for one in self.groups)
        has_known = any(age is not None for one in self.groups for age in one.ages)
        return [*(AGES if has_known else ()), *([None] if has_unknown else [])]

    def more(self, one: ServiceState) -> int | None:
        """How many more of them than in the collection before; None: there is none."""
        return None if self.before is None else one.endpoints - self.before.endpoints.get(one.key, 0)

    @property
    def left_more(self) -> int | None:
        """How many more are left over than in the collection before."""
        return None if self.before is None else sum(self.more(one) or 0 for one in self.leaks)

    def a_day(self, one: ServiceState) -> int | None:
        """How many more of them in a day, since the first collection; None: it is not an hour before the last."""
        if self.first is None or self.at is None or self.at - self.first.at < LEAST_SPAN:
            return None
        return round((one.endpoints - self.first.endpoints.get(one.key, 0)) / ((self.at - self.first.at) / DAY))

    @property
    def leader(self) -> Leader | None:
        """The leak that grows most; None where none grows, or too little is known."""
        rates = {one.key: rate for one in self.leaks if (rate := self.a_day(one)) is not None and rate > 0}
        if not rates:
            return None
        key = max(rates, key=lambda each: rates[each])
        one = next(each for each in self.leaks if each.key == key)
        share = round(100 * rates[key] / sum(rates.values()))
        return Leader(one, share, rates[key], is_steady=self._is_steady(one.state))

    def _is_steady(self, state: str) -> bool:
        rates = [
            (later.states.get(state, 0) - earlier.states.get(state, 0)) / ((later.at - earlier.at) / DAY)
            for earlier, later in pairwise(self.history)
            if later.at - earlier.at >= LEAST_SPAN
        ]
        if len(rates) < STEADY_FROM - 1:
            return False
        mean = sum(rates) / len(rates)
        return mean > 0 and all(abs(rate - mean) <= STEADY * mean for rate in rates)
