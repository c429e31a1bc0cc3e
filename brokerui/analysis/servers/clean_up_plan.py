"""The conversations that the clean-up script ends, and those that it leaves alone. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from brokerui.analysis.servers.leak import DatabaseLeak
from routing.dialog.states import DI
from routing.lint.endpoint_leaks import ServiceState
from routing.model.endpoint_groups import AGES
from routing.remedies.clean_up import BATCH, PAUSE_MS, LeftService, clean_up_sql

DAYS: Final = AGES[1:]
"""Ages that can be chosen: those at which the sums are divided."""
DEFAULT_DAYS: Final = 7


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """Conversations of one state that the script does not touch."""

    state: str
    endpoints: int
    is_young: bool = False
    """DI of the chosen services that are too young, or of unknown age."""


@dataclass(frozen=True, slots=True)
class CleanUpPlan:
    """The script for some services of a database, with its figures."""

    services: Sequence[str]
    days: int
    ends: int
    stays: int
    leaves: Sequence[LeftAlone]
    sql: str
    unread_unknown: Sequence[str]
    """Services whose queue is not known, so that the script cannot look for unread messages."""

    @property
    def batches(self) -> int:
        return ceil(self.ends / BATCH)

    @property
    def pauses_s(self) -> int:
        """Seconds of its pauses: it takes at least as long."""
        return self.batches * PAUSE_MS // 1000


def services_to_clean(leak: DatabaseLeak) -> list[str]:
    """The services that may be chosen: they have DI, the most first."""
    return [one.service for one in sorted(_ended(leak), key=lambda one: -one.endpoints) if one.service]


def default_services(leak: DatabaseLeak) -> list[str]:
    """The services that leak DI; where none does, all that have some."""
    leaking = [one.service for one in _ended(leak) if one.is_leak and one.service]
    return list(dict.fromkeys(leaking)) or services_to_clean(leak)


def clean_up_plan(leak: DatabaseLeak, services: Collection[str], days: int) -> CleanUpPlan | None:
    """The script for those of these services that have DI; None where none has. `days` is one of `DAYS`."""
    chosen = [name for name in dict.fromkeys(services_to_clean(leak)) if name in services]
    if not chosen:
        return None
    of_chosen = [one for one in _ended(leak) if one.service in chosen]
    ends = sum(one.older_than(days) for one in of_chosen)
    young = sum(one.endpoints for one in of_chosen) - ends
    others: dict[str, int] = {}
    for one in leak.groups:
        if one not in of_chosen:
            others[one.state] = others.get(one.state, 0) + one.endpoints
    rest = [LeftAlone(state, count) for state, count in sorted(others.items(), key=lambda each: -each[1])]
    return CleanUpPlan(
        services=chosen,
        days=days,
        ends=ends,
        stays=leak.endpoints - ends,
        leaves=[*([LeftAlone(DI, young, is_young=True)] if young else []), *rest],
        sql=clean_up_sql(leak.database, [LeftService(name, leak.queues.get(name)) for name in chosen], days),
        unread_unknown=[name for name in chosen if name not in leak.queues],
    )


def _ended(leak: DatabaseLeak) -> list[ServiceState]:
    return [one for one in leak.groups if one.state == DI]
