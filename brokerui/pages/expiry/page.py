"""The page of expiry: a timeline and a table of routes, lifetimes of conversations and timers that end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.effect.wording import effect_in_words
from brokerui.analysis.expiry.conversations import ExpiringConversations, conversation_ends
from brokerui.analysis.expiry.routes import WORST, ExpiringRoute, expiring_routes
from brokerui.analysis.monitoring.wording import age, conversations, moment
from brokerui.core.csv import MomentColumn
from brokerui.core.moments import moment_text, moment_words
from brokerui.drawing.charts.lines import ChartBar, bars_figure
from brokerui.drawing.charts.look import Figure
from brokerui.estate.selectors import estate_current
from brokerui.pages.changes.remedy import remedy_json
from brokerui.pages.shell.columns import Column, Table
from routing.common.moment import to_milliseconds
from routing.common.sentence import Sentence, translator
from routing.diff.result import WORSE
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS

WITHIN: Final[Mapping[str, tuple[Promise, timedelta]]] = {
    "24h": (_("24 hours"), timedelta(hours=24)),
    "7d": (_("7 days"), timedelta(days=7)),
    "30d": (_("30 days"), timedelta(days=30)),
    "90d": (_("90 days"), timedelta(days=90)),
}
USUAL: Final = "7d"
MOST: Final = 100
DRAWN: Final = 24
"""Bars of the picture; the table has all."""
THEN: Final[Mapping[str, Promise]] = {
    DROPPED: _("%(conversations)s here are dropped from then on"),
    DELAYED: _("%(conversations)s here are delayed from then on"),
    EXITS: _("%(conversations)s here leave the estate from then on"),
    DELIVERED: _("%(conversations)s here are delivered elsewhere from then on"),
}


@dataclass(frozen=True, slots=True)
class ExpiryLine:
    """A row of the table."""

    kind: str
    """`route`, `lifetime` or `timer`."""
    at: datetime
    left: str
    """How long until then."""
    name: str
    place: str
    effect: Sentence | str
    here: str
    """Conversations of hosted instances that then end otherwise; empty: none."""
    outcome: str
    """The worst outcome; empty: nothing gets worse."""
    link: str
    remedy: str = ""
    """The value of the button that makes the draft."""


TABLE: Final[Table[ExpiryLine]] = Table(
    Column("at", _("When"), lambda line: line.at, is_moment=True, is_head=True, files=("at",)),
    Column(
        "name",
        _("Route or conversations"),
        lambda line: (line.name.casefold(), line.place),
        files=("kind", "name", "place"),
    ),
    Column(
        "effect",
        _("Effect"),
        lambda line: (line.outcome == "", line.outcome, line.here == ""),
        files=("effect", "conversations", "outcome"),
    ),
)


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the template."""
    within = query.get("within", "") if query.get("within", "") in WITHIN else USUAL
    at = timezone.now()
    until = at + WITHIN[within][1]
    live = estate_current()
    routes, more = expiring_routes(live, at, until, MOST)
    lines, table = expiry_lines(routes, at, until), TABLE.read(query)
    return {
        "is_empty": not live.estate.instances,
        "withins": [
            (words, urlencode(({"within": name} if name != USUAL else {}) | table.own), name == within)
            for name, (words, _span) in WITHIN.items()
        ],
        "lines": table.ordered(lines),
        "expiry_table": table,
        "more": more,
        "unsettled": sum(not one.is_settled for one in routes),
        "headline": headline(lines, WITHIN[within][0]),
        "tone": "warn" if any(line.outcome for line in lines) else "good",
        "figure": figure(lines, at, until) if lines else None,
        "title": title(lines, WITHIN[within][0]),
        "csv": f"{reverse('expiry:csv')}?{urlencode({'within': within} | table.own)}",
    }


def expiry_lines(routes: Sequence[ExpiringRoute], at: datetime, until: datetime) -> list[ExpiryLine]:
    """All rows in the order of time."""
    begin, end = to_milliseconds(at), to_milliseconds(until)
    lines = [_of_route(one, at) for one in routes]
    ends = conversation_ends(begin, end)
    lines += [_of_lifetime(one, begin) for one in ends.lifetimes]
    lines += [_of_timer(one, begin) for one in ends.timers]
    return sorted(lines, key=lambda line: (line.at, line.kind, line.place, line.name))


def _of_route(one: ExpiringRoute, at: datetime) -> ExpiryLine:
    sql = one.remedy_sql(at)
    return ExpiryLine(
        "route",
        one.at,
        age(to_milliseconds(one.at) - to_milliseconds(at)),
        one.route.name,
        one.place,
        _effect_words(one),
        here_words(one.conversations),
        _worst(one),
        f"{reverse('routes:list')}?{urlencode({'q': f'name:{one.route.name}'})}",
        remedy_json(one.instance, sql, one.route.name) if sql else "",
    )


def _effect_words(one: ExpiringRoute) -> Sentence | str:
    if one.effect is None or not one.is_settled:
        return gettext("Its effect is still being compared.")
    return effect_in_words(one.effect).title


def here_words(found: Mapping[str, int]) -> str:
    """Conversations that end otherwise, by the outcome, the worst first."""
    return "; ".join(
        str(THEN[kind]) % {"conversations": conversations(found[kind])} for kind in WORST if found.get(kind)
    )


def _worst(one: ExpiringRoute) -> str:
    """The worst outcome of a conversation that gets worse; empty where none does."""
    found = [kind for kind in WORST if one.conversations.get(kind)]
    if found and found[0] in (DROPPED, DELAYED):
        return found[0]
    worse = one.effect is not None and one.is_settled and one.effect.ends.counts[WORSE] > 0
    return DELAYED if worse else ""


def _of_lifetime(one: ExpiringConversations, at: int) -> ExpiryLine:
    words = gettext("Each ends with error -8489 at both sides; messages not received by then are lost.")
    return _of_conversations("lifetime", one, at, conversations(one.number), words)


def _of_timer(one: ExpiringConversations, at: int) -> ExpiryLine:
    name = ngettext("%(n)s timer", "%(n)s timers", one.number) % {"n": f"{one.number:,}"}
    return _of_conversations("timer", one, at, name, gettext("Each puts a DialogTimer message into its queue."))


def _of_conversations(kind: str, one: ExpiringConversations, at: int, name: str, effect: str) -> ExpiryLine:
    place = {"instance": one.instance, "database": one.database, "service": one.service}
    link = f"{reverse('conversations:conversations')}?{urlencode(place)}"
    where = f"{one.instance}/{one.database}, {one.service}"
    return ExpiryLine(kind, moment(one.first), age(one.first - at), name, where, effect, "", "", link)


def headline(lines: Sequence[ExpiryLine], within: Promise) -> str:
    """The answer in one sentence: the next route whose end makes something worse, or the next one at all."""
    routes = [line for line in lines if line.kind == "route"]
    bad = next((line for line in routes if line.outcome), None)
    first = bad or next(iter(routes), None)
    if first is None:
        return gettext("No route expires within %(span)s.") % {"span": within}
    values = {"at": moment_words(first.at), "name": first.name, "place": first.place, "here": first.here}
    if first.here:
        return gettext("%(at)s: route %(name)s of %(place)s expires; %(here)s.") % values
    if bad is None:
        return gettext("%(at)s: route %(name)s of %(place)s expires; nothing gets worse by it.") % values
    return gettext("%(at)s: route %(name)s of %(place)s expires; conversations through it get worse.") % values


# -- The picture -------------------------------------------------------------------------------------------


def title(lines: Sequence[ExpiryLine], within: Promise) -> str:
    """The sentence that the picture says."""
    routes = sum(line.kind == "route" for line in lines)
    bad = sum(bool(line.outcome) for line in lines)
    words = ngettext(
        "Within %(span)s %(n)s route expires; conversations get worse with %(bad)s of them",
        "Within %(span)s %(n)s routes expire; conversations get worse with %(bad)s of them",
        routes,
    )
    return words % {"span": within, "n": f"{routes:,}", "bad": f"{bad:,}"}


def figure(lines: Sequence[ExpiryLine], at: datetime, until: datetime) -> Figure:
    """A bar for each of the first rows, from now until it ends; those that make something worse in their colour."""
    shown = lines[:DRAWN]
    begin, end = to_milliseconds(at), to_milliseconds(until)
    bars = [
        ChartBar(number, begin, to_milliseconds(line.at), moment_text(line.at), _stroke(line))
        for number, line in enumerate(shown)
    ]
    return bars_figure([f"{line.name} · {line.place}" for line in shown], bars, begin, end, is_ahead=True)


def _stroke(line: ExpiryLine) -> str:
    return f"var(--{line.outcome})" if line.outcome in (DROPPED, DELAYED) else "var(--accent)"


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS: Final = (MomentColumn("at"), "kind", "name", "place", "effect", "conversations", "outcome")


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """The rows of the table."""
    within = query.get("within", "") if query.get("within", "") in WITHIN else USUAL
    at = timezone.now()
    until = at + WITHIN[within][1]
    routes, _more = expiring_routes(estate_current(), at, until, MOST)
    for line in TABLE.read(query).ordered(expiry_lines(routes, at, until)):
        effect = line.effect.render(translator(gettext, ngettext)) if isinstance(line.effect, Sentence) else line.effect
        yield line.at, line.kind, line.name, line.place, effect, line.here, line.outcome
