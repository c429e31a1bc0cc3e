"""The leak test: which conversation endpoints of a database will never close by themselves. Pure.

An application that works ends a conversation seconds after its peer, and SQL Server removes a closed endpoint half an
hour after its last message. So an endpoint that is ended on one side, or closed, and older than a day is left over. One
under way may last for days; older than a week, and in numbers, nobody ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from routing.dialog.states import CD, CO, DI, DO, ER, SI, SO
from routing.lint.left_over import MANY
from routing.model.endpoint_groups import EndpointGroup


@dataclass(frozen=True, slots=True)
class LeakThreshold:
    """When the endpoints of a service in one state are a leak."""

    age_days: int
    """Endpoints of this age, and older ones, are left over."""
    endpoints: int
    """The number of them from which they are a leak."""


THRESHOLDS: Final[Mapping[str, LeakThreshold]] = {
    DI: LeakThreshold(1, 100),
    ER: LeakThreshold(1, 100),
    CD: LeakThreshold(1, MANY),
    CO: LeakThreshold(7, MANY),
    DO: LeakThreshold(1, MANY),
    SI: LeakThreshold(1, MANY),
    SO: LeakThreshold(7, MANY),
}
"""By state. Of endpoints whose age is not known, `MANY` in one state are a leak, whatever the state."""

LeakKey = tuple[str | None, bool | None, str]
"""Service, role and state; far services are added up."""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The endpoints of a service in one role and state, by age."""

    service: str | None
    """None: not collected."""
    is_initiator: bool | None
    """None: not collected."""
    state: str
    ages: Mapping[int | None, int]
    """Endpoints by the days at which their group of age begins; None: their age is not known."""
    far_service: str | None = None
    """That of the most of them."""

    @property
    def key(self) -> LeakKey:
        return self.service, self.is_initiator, self.state

    @property
    def endpoints(self) -> int:
        return sum(self.ages.values())

    @property
    def left_over(self) -> int:
        """Endpoints that are older than the threshold of their state, or of unknown age."""
        threshold = THRESHOLDS.get(self.state)
        first = threshold.age_days if threshold is not None else 0
        return sum(count for age, count in self.ages.items() if age is None or age >= first)

    @property
    def is_leak(self) -> bool:
        """Whether an application leaves conversations of this kind over."""
        threshold = THRESHOLDS.get(self.state)
        if threshold is None:
            return self.endpoints >= MANY
        aged = sum(count for age, count in self.ages.items() if age is not None and age >= threshold.age_days)
        return aged >= threshold.endpoints or self.ages.get(None, 0) >= MANY

    def older_than(self, days: int) -> int:
        """Endpoints that are certainly as old as that; `days` is one of `AGES`."""
        return sum(count for age, count in self.ages.items() if age is not None and age >= days)


def by_service_and_state(groups: Iterable[EndpointGroup]) -> list[ServiceState]:
    """The groups of a collection without their far services: leaks first, then by number."""
    ages: dict[LeakKey, dict[int | None, int]] = {}
    far: dict[LeakKey, dict[str | None, int]] = {}
    for one in groups:
        key = one.service, one.is_initiator, one.state
        own, fars = ages.setdefault(key, {}), far.setdefault(key, {})
        own[one.age_days] = own.get(one.age_days, 0) + one.endpoints
        fars[one.far_service] = fars.get(one.far_service, 0) + one.endpoints
    found = [ServiceState(*key, own, _most(far[key])) for key, own in ages.items()]
    return sorted(found, key=lambda one: (not one.is_leak, -one.endpoints, one.service or "", one.state))


def _most(fars: Mapping[str | None, int]) -> str | None:
    return max(fars, key=lambda name: fars[name])


def leaks_among(groups: Iterable[EndpointGroup]) -> list[ServiceState]:
    """The kinds of endpoints that are leaks, the largest first."""
    return [one for one in by_service_and_state(groups) if one.is_leak]
