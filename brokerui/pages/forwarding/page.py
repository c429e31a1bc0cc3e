"""The page of forwarding: each instance that forwards, its limit and next hops, drops by reason, and both over time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.monitoring.forwarding import ForwardingInstance, ForwardingNow, forwarding_now
from brokerui.analysis.monitoring.spans import MINUTE_MS, SPANS, Span, span_of
from brokerui.analysis.monitoring.wording import age, moment
from brokerui.changes.estate_view import estate_view_from
from brokerui.core.csv import MomentColumn
from brokerui.core.deferred import NotReadyError
from brokerui.core.moments import moment_text
from brokerui.drawing.charts.lines import Panel, lines_figure
from brokerui.drawing.charts.look import Figure
from brokerui.estate.selectors import estate_current
from brokerui.eventlog.selectors import DROPPED, FORWARDED, ErrorPoint, counted_by_error
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.forwarded_messages import held_by_workers
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.unreachable import unreachable_from_all
from brokerui.messaging.transmission_status import problem_words
from brokerui.pages.shell.columns import Column, Table
from routing.runtime.forwarding import (
    CAME_TOO_LATE,
    DISABLED,
    DUPLICATE,
    NO_HOP,
    NO_MEMORY,
    OUTLIVED,
    UNREACHABLE,
    HeldForHop,
)

OFF: Final = "forwarding-off"
"""The code of the finding about instances that routes lead through while their forwarding is off."""
MOST: Final = 200
NOTEWORTHY: Final = frozenset((NO_HOP, NO_MEMORY, OUTLIVED, DISABLED, UNREACHABLE, 11294))
"""Reasons that need a person: a copy, or a message whose time was over, does not."""
REASON_NAMES: Final[Mapping[int, Promise]] = {
    NO_HOP: _("hop limit"),
    DUPLICATE: _("duplicate"),
    NO_MEMORY: _("memory limit"),
    OUTLIVED: _("held too long"),
    CAME_TOO_LATE: _("too old"),
    DISABLED: _("forwarding is off"),
    11294: _("route not valid"),
    UNREACHABLE: _("no principal"),
}
STEPS: Final[Mapping[int, Promise]] = {
    NO_HOP: _("Shorten the way, or look for a circle: each instance on the way takes one hop."),
    DUPLICATE: _("Nothing is lost: the first copy is still held."),
    NO_MEMORY: _("Nothing is lost: the sender repeats it. Look at the next hop that holds most."),
    OUTLIVED: _("Nothing is lost: the sender repeats it. Look at the next hop, which takes nothing."),
    CAME_TOO_LATE: _("The lifetime of its dialog was over."),
    DISABLED: _("Switch forwarding on, or lead the routes past this instance."),
    11294: _("Correct the address of the route in msdb."),
    UNREACHABLE: _("No partner of the mirrored route is the principal."),
}
"""The next step of an operator, by the product's number of the reason."""
Series = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class ForwarderOnPage:
    """A row of the table of instances."""

    instance: ForwardingInstance
    oldest: str
    percent: int
    """Of the limit, that the fullest worker holds."""
    refused: str
    """Reasons of drops in the last hour, in few words."""

    @property
    def is_tight(self) -> bool:
        """Whether one next hop alone would be refused: it may take no more than is free."""
        return self.instance.has_refused or self.percent >= 50


@dataclass(frozen=True, slots=True)
class HopOnPage:
    """A next hop with the fragments that wait for it."""

    instance: str
    hop: HeldForHop
    oldest: str
    failure: str
    """Why it cannot be reached; empty: nothing is known against it."""


@dataclass(frozen=True, slots=True)
class DropOnPage:
    """Fragments of an instance that were dropped for one reason."""

    instance: str
    number: int
    words: str
    step: Promise | str
    times: int
    events: str
    """The address of the events."""
    needs_person: bool


FORWARDERS: Final[Table[ForwarderOnPage]] = Table(
    Column("instance", _("Instance"), lambda one: one.instance.name, is_head=True),
    Column("held", _("Held fragments"), lambda one: one.instance.fragments, is_number=True),
    Column("memory", _("Memory of its limit"), lambda one: one.percent),
    Column("oldest", _("Oldest"), lambda one: one.instance.oldest_ms, is_number=True),
    Column("sent", _("Sent on"), lambda one: one.instance.sent, is_number=True),
    Column("dropped", _("Dropped"), lambda one: sum(one.instance.dropped.values())),
)
HOPS: Final[Table[HopOnPage]] = Table(
    Column("hop", _("Next hop"), lambda one: one.hop.address, is_head=True),
    Column("instance", _("Held by"), lambda one: one.instance),
    Column("fragments", _("Fragments"), lambda one: one.hop.fragments, is_number=True),
    Column("bytes", _("Bytes"), lambda one: one.hop.size, is_number=True),
    Column("oldest", _("Oldest"), lambda one: one.hop.oldest_ms, is_number=True),
    Column("failure", _("Cannot be reached"), lambda one: one.failure or None),
    name="hops",
)
DROPS: Final[Table[DropOnPage]] = Table(
    Column("instance", _("Instance"), lambda one: one.instance, is_head=True),
    Column("reason", _("Reason"), lambda one: one.number),
    Column("fragments", _("Fragments"), lambda one: one.times, is_number=True),
    Column("step", _("Next step")),
    name="drops",
)


def of_redis() -> object:
    """Everything that the page has of Redis. Raises `RedisError`."""
    held = held_by_workers(redis())
    return held, unreachable_from_all([one.instance for one in held])


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    span, at, estate = span_of(query.get("span", "")), now(), estate_current().estate
    found, moments = forwarding_now(estate, at), span.moments(at)
    sent, dropped = _series(span, at)
    drops = list(_drops(found.instances))
    off, table, hops, dropped_table = _off(), FORWARDERS.read(query), HOPS.read(query), DROPS.read(query)
    return {
        "spans": [(one, _of_span(one, table.own | hops.own | dropped_table.own), one == span) for one in SPANS],
        "found": found,
        "forwarders": table.ordered(map(_on_page, found.instances))[:MOST],
        "table": table,
        "hops_table": hops,
        "drops_table": dropped_table,
        "more": max(0, len(found.instances) - MOST),
        "hops": hops.ordered(_hops(found.instances))[:MOST],
        "drops": dropped_table.ordered(drops)[:MOST],
        "off": off,
        "off_link": f"{reverse('findings:list')}?{urlencode({'q': f'code:{OFF}'})}",
        "headline": headline(found, drops),
        "tone": "bad" if not found.is_known else "warn" if off or any(drop.needs_person for drop in drops) else "good",
        "title": title(sent, dropped, span),
        "figure": figure(moments, sent, dropped, span) if sent or dropped else None,
        "empty_words": gettext("No message passed through, and none was dropped"),
        "heads": [*sent, *dropped],
        "lines": list(lines(moments, sent, dropped)),
    }


def _of_span(span: Span, tables: dict[str, str]) -> str:
    return urlencode(({"span": span.name} if span != SPANS[0] else {}) | tables)


def _off() -> list[StoredFinding]:
    """Instances that routes lead through while forwarding is off; empty also while the findings are not ready."""
    try:
        found = findings_for(estate_view_from({})).findings
    except NotReadyError:
        return []
    return list(islice((finding for finding in found if finding.code == OFF), MOST))


def _on_page(instance: ForwardingInstance) -> ForwarderOnPage:
    oldest = age(instance.oldest_ms) if instance.oldest_ms is not None else ""
    percent = min(100, round(100 * instance.fullest_bytes / instance.limit_bytes)) if instance.limit_bytes else 100
    refused = ", ".join(f"{REASON_NAMES.get(number, number)} {times:,}" for number, times in instance.dropped.items())
    return ForwarderOnPage(instance, oldest, percent, refused)


def _hops(instances: Sequence[ForwardingInstance]) -> Iterator[HopOnPage]:
    failures = unreachable_from_all([one.name for one in instances if one.hops])
    for instance in instances:
        for hop in instance.hops:
            failure = failures.get(instance.name, {}).get(hop.address)
            words = f"{problem_words(failure.number)} {failure.text}".strip() if failure else ""
            yield HopOnPage(instance.name, hop, age(hop.oldest_ms), words)


def _drops(instances: Sequence[ForwardingInstance]) -> Iterator[DropOnPage]:
    for instance in instances:
        for number, times in instance.dropped.items():
            events = {"instance": instance.name, "event_class": "140", "error": number, "since": "1h"}
            yield DropOnPage(
                instance.name,
                number,
                problem_words(number),
                STEPS.get(number, ""),
                times,
                f"{reverse('events:events')}?{urlencode(events)}",
                number in NOTEWORTHY,
            )


def headline(found: ForwardingNow, drops: Sequence[DropOnPage]) -> str:
    """The answer in one sentence, or two where messages are dropped."""
    if not found.is_known:
        return gettext("The messages held for other instances are not known: Redis does not answer.")
    if not found.instances:
        return gettext("No instance forwards messages.")
    return " ".join(filter(None, (_held_words(found.instances), _dropped_words(drops))))


def _held_words(instances: Sequence[ForwardingInstance]) -> str:
    holding = [one for one in instances if one.hops]
    if not holding:
        counted = ngettext("%(n)s instance forwards", "%(n)s instances forward", len(instances)) % {"n": len(instances)}
        return gettext("%(instances)s; none holds a message.") % {"instances": counted}
    most, number = holding[0], sum(one.fragments for one in holding)
    words = ngettext(
        "%(n)s fragment waits for its next hop, most of them on %(instance)s",
        "%(n)s fragments wait for their next hop, most of them on %(instance)s",
        number,
    )
    values = {"n": f"{number:,}", "instance": most.name}
    oldest = max(one.oldest_ms or 0 for one in holding)
    return gettext("%(held)s; the oldest for %(age)s.") % {"held": words % values, "age": age(oldest)}


def _dropped_words(drops: Sequence[DropOnPage]) -> str:
    bad = [drop for drop in drops if drop.needs_person]
    if not bad:
        return ""
    number, worst = sum(drop.times for drop in bad), max(bad, key=lambda drop: drop.times)
    words = ngettext(
        "%(n)s fragment was dropped in the last hour, most often for: %(reason)s.",
        "%(n)s fragments were dropped in the last hour, most often for: %(reason)s.",
        number,
    )
    return words % {"n": f"{number:,}", "reason": REASON_NAMES.get(worst.number, worst.number)}


# -- The chart ---------------------------------------------------------------------------------------------


def _series(span: Span, at: int) -> tuple[Series, Series]:
    """Fragments sent on by instance, and dropped by reason, in each step of the span by the moment at its end."""
    step, last = span.step * MINUTE_MS, span.moments(at)[-1]
    within = {"since": last - span.minutes * MINUTE_MS - step, "until": last}
    sent = _summed(((point.instance, point) for point in counted_by_error(FORWARDED, **within)), step)
    points = counted_by_error(DROPPED, **within)
    return sent, _summed(((str(REASON_NAMES.get(point.error, point.error)), point) for point in points), step)


def _summed(points: Iterable[tuple[str, ErrorPoint]], step: int) -> Series:
    """By line and moment, the largest lines first; more than a chart has are one line together."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for name, point in points:
        found[name][point.at - point.at % step + step] += point.value
    ordered = sorted(found, key=lambda name: (-found[name].total(), name))
    lines: dict[str, Counter[int]] = {name: found[name] for name in ordered[:5]}
    for name in ordered[5:]:
        lines.setdefault(gettext("others"), Counter()).update(found[name])
    return lines


def title(sent: Series, dropped: Series, span: Span) -> str:
    """The sentence that the chart says."""
    numbers = [sum(sum(one.values()) for one in series.values()) for series in (sent, dropped)]
    if not any(numbers):
        return gettext("%(span)s: nothing was forwarded") % {"span": span.label}
    values = {"span": span.label, "sent": f"{numbers[0]:,}", "dropped": f"{numbers[1]:,}"}
    return gettext("%(span)s: %(sent)s fragments were sent on, %(dropped)s were dropped") % values


def figure(moments: list[int], sent: Series, dropped: Series, span: Span) -> Figure:
    """Fragments sent on above, by instance; dropped ones below, by reason."""
    panels = (
        Panel(gettext("Fragments sent on, a minute"), _rates(moments, sent, span)),
        Panel(gettext("Fragments dropped, a minute"), _rates(moments, dropped, span)),
    )
    return lines_figure(moments, [panel for panel in panels if panel.lines])


def _rates(moments: Sequence[int], series: Series, span: Span) -> dict[str, list[float | None]]:
    return {name: [round(one.get(at, 0) / span.step, 2) for at in moments] for name, one in series.items()}


def lines(moments: Sequence[int], sent: Series, dropped: Series) -> Iterator[tuple[str, list[str]]]:
    """The twin, the newest first: moment, then the fragments of each line until then since the moment before."""
    every = [*sent.values(), *dropped.values()]
    for at in reversed(moments):
        if any(at in one for one in every):
            yield moment_text(moment(at)), [f"{one.get(at, 0):,}" for one in every]


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS: Final = (MomentColumn("at"), "instance", "error", "sent", "dropped")


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """Each minute of the span with forwarded or dropped fragments, by instance and reason."""
    span, at = span_of(query.get("span", "")), now()
    within = {"since": at - span.minutes * MINUTE_MS, "until": at}
    for point in counted_by_error(FORWARDED, **within):
        yield moment(point.at), point.instance, "", point.value, 0
    for point in counted_by_error(DROPPED, **within):
        yield moment(point.at), point.instance, point.error, 0, point.value
