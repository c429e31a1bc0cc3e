"""The page of the conversations that one database leaves over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import log10
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from brokerui.analysis.servers.clean_up_plan import (
    DAYS,
    DEFAULT_DAYS,
    CleanUpPlan,
    LeftAlone,
    clean_up_plan,
    default_services,
    services_to_clean,
)
from brokerui.analysis.servers.leak import DatabaseLeak
from brokerui.analysis.servers.leak_size import size_sentence
from brokerui.analysis.servers.leak_words import growth, headline, lead, order_of_work, state_words, why
from brokerui.core.csv import MomentColumn
from brokerui.core.moments import clock_text, day_text, local
from brokerui.core.templatetags.look import figure
from brokerui.drawing.charts.cards import StripLine, named_lines_figure
from brokerui.drawing.charts.look import Figure
from brokerui.estate.selectors import import_is_stale
from routing.common.duration import in_words
from routing.common.moment import to_milliseconds
from routing.common.sentence import translator
from routing.dialog.states import CD, CO, DI, DO, ER
from routing.lint.endpoint_leaks import ServiceState
from routing.remedies.clean_up import BATCH

AGE_WORDS: Final[dict[int | None, Promise]] = {
    0: gettext_lazy("under 1 day"),
    1: gettext_lazy("1 to 7 days"),
    7: gettext_lazy("7 to 30 days"),
    30: gettext_lazy("30 to 180 days"),
    180: gettext_lazy("older"),
    None: gettext_lazy("age unknown"),
}
ROLES: Final[dict[bool | None, Promise | str]] = {
    True: gettext_lazy("initiator"),
    False: gettext_lazy("target"),
    None: "",
}
SHOWN: Final = 60
"""Rows of the table; the file has all."""
LINES: Final = ((DI, "var(--accent)", "var(--accent)/0.12"), (CD, "var(--muted)", ""), (CO, "var(--exits)", ""))
HEIGHT: Final = 236
"""Pixels of the chart."""
_LEFT_ALONE: Final = {
    CD: gettext_lazy("CD: would need CLEANUP, and a look at the other side first"),
    CO: gettext_lazy("CO: their application has to end them"),
    DO: gettext_lazy("DO: wait for the other side"),
    ER: gettext_lazy("ER: the reader of their queue has to end them"),
}


@dataclass(frozen=True, slots=True)
class AgeCell:
    """The endpoints of one group of age."""

    age: Promise
    endpoints: int
    part: int
    """Length of its bar in percent, by the logarithm."""

    @property
    def start(self) -> int:
        return 100 - self.part


@dataclass(frozen=True, slots=True)
class LeakRow:
    """A service in one role and state."""

    of: ServiceState
    role: Promise | str
    state: Any
    why: Any
    cells: Sequence[AgeCell]
    more: str
    """Since the collection before; empty: there is none."""


def leak_context(leak: DatabaseLeak, query: QueryDict) -> dict[str, Any]:
    """For the template."""
    days, chosen = days_of(query), query.getlist("service")
    plan = clean_up_plan(leak, chosen or default_services(leak), days)
    return {
        "leak": leak,
        "headline": headline(leak),
        "lead": lead(leak),
        "size": size_sentence(leak.leaks),
        "is_stale": leak.at is not None and import_is_stale(leak.at),
        "title": growth(leak),
        "figure": growth_figure(leak) if len(leak.history) > 1 else None,
        "history": _history(leak),
        "steps": order_of_work(leak),
        "ages": [AGE_WORDS[age] for age in leak.ages],
        "rows": [_row(one, leak) for one in leak.groups[:SHOWN]],
        "more_rows": max(0, len(leak.groups) - SHOWN),
        "totals": [(AGE_WORDS[age], sum(one.ages.get(age, 0) for one in leak.groups)) for age in leak.ages],
        "since": _since(leak),
        "total_more": _signed(_total_more(leak)),
        "plan": plan,
        "plan_words": _plan_words(plan) if plan is not None else {},
        "services": [(name, plan is not None and name in plan.services) for name in services_to_clean(leak)],
        "days": [(each, each == days) for each in DAYS],
        "query": urlencode([*(("service", name) for name in chosen), ("days", days)]),
    }


def days_of(query: QueryDict) -> int:
    """The chosen age, one of those at which the sums are divided."""
    text = query.get("days", "")
    return int(text) if text in map(str, DAYS) else DEFAULT_DAYS


def _since(leak: DatabaseLeak) -> str:
    """The moment of the collection before: the time of the same day, or the day; empty: there is none."""
    if leak.before is None or leak.at is None:
        return ""
    same_day = day_text(leak.before.at) == day_text(leak.at)
    return clock_text(leak.before.at) if same_day else date_format(local(leak.before.at), "j M")


def growth_figure(leak: DatabaseLeak) -> Figure:
    """Endpoints by state over all collections."""
    moments = [to_milliseconds(one.at) for one in leak.history]
    lines = [
        StripLine(f"{state} {leak.history[-1].states.get(state, 0):,}", values, stroke, fill)
        for state, stroke, fill in LINES
        if any(values := [one.states.get(state, 0) for one in leak.history])
    ]
    most = max((value for line in lines for value in line.values if value is not None), default=0)
    return named_lines_figure(moments, lines, _ticks(most), HEIGHT)


def _ticks(most: float) -> dict[float, str]:
    """Nothing, half and all of a round number below the most."""
    if most < 2:
        return {0: "0", 1: "1"}
    unit = 10 ** int(log10(most))
    top = unit * int(most // unit)
    return {0: "0", top / 2: _short(top / 2), top: _short(top)}


def _short(value: float) -> str:
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _history(leak: DatabaseLeak) -> list[tuple[object, ...]]:
    """Rows of the table twin, the last first."""
    return [
        (one.at, *(one.states.get(state, 0) for state, _, _ in LINES), one.endpoints) for one in reversed(leak.history)
    ]


def _row(one: ServiceState, leak: DatabaseLeak) -> LeakRow:
    most = max((count for each in leak.groups for count in each.ages.values()), default=1)
    cells = [
        AgeCell(AGE_WORDS[age], count, _part(count, most)) for age in leak.ages for count in (one.ages.get(age, 0),)
    ]
    return LeakRow(one, ROLES[one.is_initiator], state_words(one), why(one, leak), cells, _signed(leak.more(one)))


def _part(count: int, most: int) -> int:
    return round(100 * log10(count + 1) / log10(most + 1)) if count else 0


def _signed(more: int | None) -> str:
    if more is None:
        return ""
    return f"+{figure(more)}" if more > 0 else f"\N{MINUS SIGN}{figure(-more)}" if more else "0"


def _total_more(leak: DatabaseLeak) -> int | None:
    """All endpoints since the collection before."""
    return None if len(leak.history) < 2 else leak.history[-1].endpoints - leak.history[-2].endpoints


def _plan_words(plan: CleanUpPlan) -> dict[str, Any]:
    """Figures of the script in words."""
    least = in_words(timedelta(seconds=plan.pauses_s)).render(translator(gettext, ngettext))
    return {
        "ends": ngettext("%(n)s ends", "%(n)s end", plan.ends) % {"n": figure(plan.ends)},
        "stays": ngettext("%(n)s stays", "%(n)s stay", plan.stays) % {"n": figure(plan.stays)},
        "least": gettext("at least %(duration)s") % {"duration": least},
        "batches": ngettext(
            "%(n)s batch of %(size)s, a pause after it", "%(n)s batches of %(size)s, a pause after each", plan.batches
        )
        % {"n": figure(plan.batches), "size": figure(BATCH)},
        "leaves": [(one.endpoints, _left_alone(one, plan.days)) for one in plan.leaves],
    }


def _left_alone(one: LeftAlone, days: int) -> str | Promise:
    if one.is_young:
        return ngettext(
            "DI younger than %(n)s day, or of unknown age", "DI younger than %(n)s days, or of unknown age", days
        ) % {"n": days}
    if one.state == DI:
        return gettext("DI of other services")
    return _LEFT_ALONE.get(one.state, one.state)


def group_rows(leak: DatabaseLeak) -> Iterator[Sequence[object]]:
    """The rows of the file: a service in a role and state, with its ages."""
    for one in leak.groups:
        role = {True: "initiator", False: "target", None: ""}[one.is_initiator]
        counts = [one.ages.get(age, 0) for age in AGE_WORDS]
        yield [one.service or "", role, one.state, *counts, one.endpoints, int(one.is_leak), leak.more(one)]


GROUP_COLUMNS: Final = (
    *("service", "role", "state", "under_1_day", "days_1_to_7", "days_7_to_30", "days_30_to_180", "days_180"),
    *("age_unknown", "endpoints", "is_leak", "more"),
)
GROWTH_COLUMNS: Final = (MomentColumn("collected_at"), "DI", "CD", "CO", "ER", "DO", "SI", "SO")


def growth_rows(leak: DatabaseLeak) -> Iterator[Sequence[object]]:
    """The rows of the file: a collection, with its endpoints by state."""
    for one in leak.history:
        yield [one.at, *(one.states.get(state, 0) for state in GROWTH_COLUMNS[1:])]
