"""The traffic of a run as streams: as wide as the messages are many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext, ngettext

from brokerui.analysis.flow.folding import REST, FlowPlace, Folded, Lane, folded
from brokerui.analysis.flow.wording import ENDS, more, outcome_words, reason_words
from brokerui.analysis.traffic.models import Run
from brokerui.analysis.traffic.selectors import flows
from brokerui.drawing.charts.look import SIGNS, Figure, plain, short
from brokerui.drawing.charts.sankey import Node, Stream, sankey_figure
from routing.common.sentence import translator
from routing.rules.decision import DELIVERED

translate = translator(gettext, ngettext)
END = 2
"""The column of ends; streams skip that of next hops."""


class StreamRow(NamedTuple):
    """A stream as a row of the table."""

    source: str
    target: str
    outcome: str
    sign: str
    word: str
    messages: float


def picture_of(run: Run, side: str) -> Folded:
    """Return the streams, with the smallest places put together."""
    weights = flows(run, side)
    return folded(weights, {path.end for path in weights if path.outcome != DELIVERED})


def figure_of(picture: Folded) -> Figure:
    """As a chart."""
    number = {place: index for index, place in enumerate(picture.places)}
    nodes = [_node(picture, place) for place in picture.places]
    streams = [
        # A stream of nothing would not be drawn at all.
        Stream(number[lane.source], number[lane.target], max(weight, 0.01), lane.outcome, _tells(picture, lane, weight))
        for lane, weight in picture.lanes.items()
    ]
    return sankey_figure([gettext("Origin"), "", gettext("End")], nodes, streams)


def lines_of(picture: Folded) -> Iterator[StreamRow]:
    """The streams as rows."""
    for lane, messages in picture.lanes.items():
        word = outcome_words(lane.outcome).render(translate)
        source, target = label_of(picture, lane.source), label_of(picture, lane.target)
        yield StreamRow(source, target, lane.outcome, SIGNS[lane.outcome], word, messages)


def label_of(picture: Folded, place: FlowPlace) -> str:
    """Return the label of a place."""
    if place.name == REST:
        return more(place.column, picture.folded[place.column]).render(translate)
    outcome = _outcome_of(place)
    if outcome in ENDS:
        return reason_words(outcome, place.name.removeprefix(ENDS[outcome])).render(translate)
    return place.name


def _outcome_of(place: FlowPlace) -> str:
    if place.column < END or place.name == REST:
        return ""
    return next((kind for kind, mark in ENDS.items() if place.name.startswith(mark)), DELIVERED)


def _node(picture: Folded, place: FlowPlace) -> Node:
    label, outcome = label_of(picture, place), _outcome_of(place)
    sign = f"{SIGNS[outcome]} " if outcome else ""
    return Node(place.column, f"{sign}{label}", plain(label), outcome=outcome)


def _tells(picture: Folded, lane: Lane, messages: float) -> str:
    source, target = (plain(short(label_of(picture, place))) for place in (lane.source, lane.target))
    return f"{source} → {target}<br>{SIGNS[lane.outcome]} {messages:,.0f}"
