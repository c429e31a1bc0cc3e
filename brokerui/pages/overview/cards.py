"""The three charts of the overview: their figures, the sentences that they say, and the tables with the same data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from brokerui.analysis.monitoring.history import SamplePoint, waiting_in_some
from brokerui.analysis.monitoring.rates import Part, depths_of, parts_of
from brokerui.analysis.monitoring.spans import MINUTE_MS, Span
from brokerui.analysis.monitoring.wording import age, age_now, moment
from brokerui.analysis.overview.overview import LARGE, Overview
from brokerui.core.csv import MomentColumn
from brokerui.core.moments import moment_text
from brokerui.drawing.charts.cards import Strip, StripLine, VersionMark, card_figure
from brokerui.drawing.charts.look import Figure
from routing.common.moment import to_milliseconds

HALF: Final = 0.5
NEARLY_ALL: Final = 0.95
TICKS_MS: Final = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 60_000, 600_000)
MOST_QUEUES: Final = 2
"""Transmission queues with a line of their own."""
STROKES: Final = ("var(--text)", "var(--muted)")
TALL: Final = 116
TALLEST: Final = 188
"""Pixels of a strip beside another one, and of one alone: all cards are as high as that with three strips."""
Row = tuple[str, list[str]]


@dataclass(frozen=True, slots=True)
class Card:
    """One chart."""

    name: str
    title: str
    """The sentence that it says."""
    figure: Figure
    heads: Sequence[str]
    rows: Sequence[Row]
    """The newest first."""
    link: str
    link_label: str
    """The rows behind it."""
    other_link: str = ""
    other_label: str = ""
    """More rows behind it."""


def cards_of(found: Overview, span: Span, mark: VersionMark | None) -> list[Card]:
    """All charts of a span: attempts, waiting messages, acknowledgements."""
    now = to_milliseconds(found.at)
    parts = parts_of(span, now, is_large=len(found.hosted) > LARGE)
    samples = _samples(found, span, now)
    return [_attempts(parts, span, mark), _depths(samples, found, span, mark), _latencies(parts, mark)]


# -- Attempts ----------------------------------------------------------------------------------------------


def _attempts(parts: Mapping[int, Part], span: Span, mark: VersionMark | None) -> Card:
    moments = list(parts)
    measures = {
        gettext("delivered"): ("delivered", [_per_minute(part.delivered, span) for part in parts.values()]),
        gettext("delayed"): ("delayed", [_per_minute(part.delayed, span) for part in parts.values()]),
        gettext("dropped"): ("dropped", [_per_minute(part.dropped, span) for part in parts.values()]),
    }
    strips = [
        Strip(name, [StripLine(name, values, f"var(--{token})", f"var(--{token}-soft)")], _rate(values[-1]))
        for name, (token, values) in measures.items()
    ]
    series = [values for _token, values in measures.values()]
    return Card(
        "attempts",
        attempts_title(*(values[-1] for values in series)),
        card_figure(moments, strips, mark),
        list(measures),
        [(moment_text(moment(at)), [_rate(values[place]) for values in series]) for place, at in _newest(moments)],
        reverse("delayed:delayed"),
        gettext("Delayed"),
        f"{reverse('events:events')}?since={span.name}",
        gettext("Events"),
    )


def attempts_title(delivered: float, delayed: float, dropped: float) -> str:
    """Return the sentence of the last finished part."""
    values = {"delivered": _rate(delivered), "delayed": _rate(delayed), "dropped": _rate(dropped)}
    return gettext("%(delivered)s messages a minute arrive, %(delayed)s are delayed, %(dropped)s dropped") % values


def _per_minute(count: int, span: Span) -> float:
    return round(count / span.step, 1)


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:,.1f}"


# -- Waiting messages --------------------------------------------------------------------------------------------


def _samples(found: Overview, span: Span, now: int) -> list[SamplePoint]:
    """The samples of the span; the last one is what the headline counts, so that both agree."""
    last = now - now % MINUTE_MS
    samples = [point for point in depths_of(span, now) if point.at < last]
    messages = sum(group.messages for group in found.waiting.groups)
    messages += sum(group.fragments for group in found.waiting.arrived if group.is_off)
    hosted = [one.oldest_s for one in found.causes if one.collected_at is None and one.oldest_s is not None]
    oldest = max(hosted, default=0) * 1000
    return [*samples, SamplePoint(last, messages, oldest, "")]


def _depths(samples: Sequence[SamplePoint], found: Overview, span: Span, mark: VersionMark | None) -> Card:
    last, by_moment = samples[-1], {point.at: point for point in samples}
    moments = sorted({*span.moments(last.at), last.at})
    found_then = [by_moment.get(at) for at in moments]
    depths = [None if point is None else float(point.depth) for point in found_then]
    ages = [None if point is None else round((point.oldest_age_ms or 0) / 1000, 1) for point in found_then]
    waits, oldest = gettext("messages that wait"), gettext("age of the oldest")
    strips = [
        _waiting_strip(waits, depths, moments, found),
        Strip(
            oldest,
            [StripLine(oldest, ages, "var(--muted)", "var(--sunken)")],
            age_now(last.oldest_age_ms or 0),
            " s",
        ),
    ]
    return Card(
        "depths",
        depths_title(last.depth, found),
        card_figure(moments, strips, mark),
        [waits, oldest],
        [
            (moment_text(moment(point.at)), [f"{point.depth:,}", age(point.oldest_age_ms or 0)])
            for point in reversed(found_then)
            if point is not None
        ],
        reverse("queues:queues"),
        gettext("Transmission queues"),
    )


def _waiting_strip(title: str, depths: list[float | None], moments: Sequence[int], found: Overview) -> Strip:
    """All messages that wait, and those of the largest transmission queues, where there are several."""
    now_there = waiting_by_database(found)
    largest = sorted(now_there, key=lambda place: (-now_there[place], place))[:MOST_QUEUES]
    total = depths[-1] or 0
    everything = StripLine(title, depths, "var(--accent)", "var(--accent-soft)")
    if len(now_there) < 2:
        name = "".join(f"{'/'.join(place)} " for place in largest)
        return Strip(title, [everything], f"{name}{total:,.0f}", height=TALL)
    before = waiting_in_some(moments[:-1], largest)
    named = everything._replace(name=gettext("all %(n)s") % {"n": f"{total:,.0f}"})
    return Strip(title, [named, *_queue_lines(largest, now_there, before, moments)], height=TALL)


def _queue_lines(
    places: Sequence[tuple[str, str]],
    now_there: Mapping[tuple[str, str], int],
    before: Mapping[tuple[str, str], Mapping[int, int]],
    moments: Sequence[int],
) -> Iterator[StripLine]:
    """A line for each place, with its last value in its name."""
    for place, stroke in zip(places, STROKES, strict=False):
        last = now_there[place]
        values = [*(before[place].get(at) for at in moments[:-1]), last]
        yield StripLine(f"{'/'.join(place)} {last:,}", [None if one is None else float(one) for one in values], stroke)


def waiting_by_database(found: Overview) -> dict[tuple[str, str], int]:
    """Messages that wait now, by instance and database."""
    counted: Counter[tuple[str, str]] = Counter()
    for group in found.waiting.groups:
        counted[group.instance, group.database] += group.messages
    for arrived in found.waiting.arrived:
        if arrived.is_off:
            counted[arrived.instance, arrived.database] += arrived.fragments
    return {place: messages for place, messages in counted.items() if messages}


def depths_title(depth: int, found: Overview) -> str:
    """Return the sentence of this moment."""
    number = ngettext("%(n)s message waits", "%(n)s messages wait", depth) % {"n": f"{depth:,}"}
    hosted = [one for one in found.causes if one.collected_at is None and one.oldest_s is not None]
    if not depth or not hosted:
        return number
    oldest = max(hosted, key=lambda one: one.oldest_s or 0)
    return gettext("%(messages)s, the oldest %(age)s, in %(place)s") % {
        "messages": number,
        "age": age_now((oldest.oldest_s or 0) * 1000),
        "place": oldest.place,
    }


# -- Acknowledgements --------------------------------------------------------------------------------------


def _latencies(parts: Mapping[int, Part], mark: VersionMark | None) -> Card:
    moments = list(parts)
    half = [part.within_ms(HALF) for part in parts.values()]
    most = [part.within_ms(NEARLY_ALL) for part in parts.values()]
    last = next((place for place, _ in _newest(moments) if half[place] is not None), None)
    lines = [] if last is None else _named(half, most, last)
    ticks: Mapping[float, str] = {tick: duration(tick) for tick in TICKS_MS}
    strip = Strip(gettext("from SEND to acknowledgement"), lines, "", " ms", ticks, is_log=True, height=TALLEST)
    return Card(
        "latencies",
        latencies_title(None if last is None else half[last], None if last is None else most[last]),
        card_figure(moments, [strip], mark),
        [gettext("half"), gettext("95 in 100")],
        [
            (moment_text(moment(at)), [duration(half[place]), duration(most[place])])
            for place, at in _newest(moments)
            if half[place] is not None
        ],
        f"{reverse('connections:connections')}",
        gettext("Connections"),
    )


def _named(half: Sequence[float | None], most: Sequence[float | None], last: int) -> list[StripLine]:
    """Both lines, each with its last value in its name."""
    names = (
        gettext("95 in 100: %(time)s") % {"time": duration(most[last])},
        gettext("half: %(time)s") % {"time": duration(half[last])},
    )
    return [StripLine(names[0], most, "var(--text)"), StripLine(names[1], half, "var(--accent)")]


def latencies_title(half: float | None, most: float | None) -> str:
    """Return the sentence of the last part in which anything was acknowledged."""
    if half is None or most is None:
        return gettext("Nothing was acknowledged in this time")
    values = {"half": duration(half), "most": duration(most)}
    return gettext("Half are acknowledged within %(half)s, 95 in 100 within %(most)s") % values


def duration(milliseconds: float | None) -> str:
    """A short time in its unit; empty: none is known."""
    if milliseconds is None:
        return ""
    if milliseconds < 1_000:
        return gettext("%(n)s ms") % {"n": f"{milliseconds:,.0f}"}
    if milliseconds < 60_000:
        return gettext("%(n)s s") % {"n": f"{milliseconds / 1000:,.1f}".removesuffix(".0")}
    return age(int(milliseconds))


def _newest(moments: Sequence[int]) -> list[tuple[int, int]]:
    """Places and moments, the newest first."""
    return list(enumerate(moments))[::-1]


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS = (
    MomentColumn("until"),
    "delivered",
    "delayed",
    "dropped",
    "half_acknowledged_ms",
    "95_in_100_acknowledged_ms",
)
DEPTHS = ("waiting", "oldest_waits_ms")


def csv_rows(span: Span, now: int) -> list[tuple[object, ...]]:
    """Counts of each part of a span, not rates; latencies; and how much waited at its end, and for how long."""
    looked = {point.at: point for point in depths_of(span, now)}
    return [
        (moment(at), part.delivered, part.delayed, part.dropped, *_within(part), *_depth(looked.get(at)))
        for at, part in parts_of(span, now).items()
    ]


def _depth(point: SamplePoint | None) -> tuple[object, object]:
    """Empty where nobody looked."""
    if point is None:
        return "", ""
    return point.depth, "" if point.oldest_age_ms is None else point.oldest_age_ms


def _within(part: Part) -> tuple[object, object]:
    half, most = part.within_ms(HALF), part.within_ms(NEARLY_ALL)
    return "" if half is None else round(half, 1), "" if most is None else round(most, 1)


def span_links(spans: Sequence[Span], now: Span) -> list[tuple[Span, str, bool]]:
    """Each span with its query, and whether it is shown."""
    return [(span, urlencode({"span": span.name}), span == now) for span in spans]
