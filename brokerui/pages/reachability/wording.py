"""Wording of the page about pairs."""

from __future__ import annotations

from collections.abc import Mapping

from brokerui.drawing.charts.look import UNNAMED
from brokerui.pages.reachability.query import VERDICTS
from routing.common.sentence import Sentence, say, say_counted
from routing.rules.decision import DELAYED, DROPPED, EXITS
from routing.rules.verdict import MAY_DELIVER, MIXED, MUST_DELIVER

WORDS = {
    MUST_DELIVER: say("Always delivered"),
    MAY_DELIVER: say("May be delivered"),
    EXITS: say("Always exits"),
    DELAYED: say("Always delayed"),
    MIXED: say("Never delivered, in several ways"),
    DROPPED: say("Always dropped"),
    UNNAMED: say("No route names it"),
}
HANGS = say("unless an identifier or a mirroring role that is not known is the right one")
LOCAL = say("to an address of the sender's own machine")
"""The caveats of a pair."""
GOOD, WARN, BAD = "good", "warn", "bad"


def headline(totals: Mapping[str, int], *, named: bool) -> Sentence:
    """How many pairs always arrive, and what becomes of the others."""
    pairs, arrive = sum(totals.get(verdict, 0) for verdict in VERDICTS), totals.get(MUST_DELIVER, 0)
    if not pairs:
        return say("There are no such pairs.")
    rest = tuple(_rest(verdict, totals[verdict]) for verdict in VERDICTS[1:] if totals.get(verdict))
    values = {"all": f"{pairs:,}", "rest": _joined(rest)}
    if not rest and named:
        return say_counted(
            pairs,
            "The one pair that a route names always arrives.",
            "All {count} pairs that a route names always arrive.",
        )
    if not rest:
        return say_counted(
            pairs,
            "The one pair that a route names or that is delivered always arrives.",
            "All {count} pairs that a route names or that are delivered always arrive.",
        )
    if named:
        one = "{count} of {all} pairs that a route names always arrives; {rest}."
        return say_counted(arrive, one, "{count} of {all} pairs that a route names always arrive; {rest}.", **values)
    one = "{count} of {all} pairs that a route names or that are delivered always arrives; {rest}."
    return say_counted(
        arrive, one, "{count} of {all} pairs that a route names or that are delivered always arrive; {rest}.", **values
    )


def apart_says(apart: Mapping[str, int]) -> Sentence | None:
    """The sentence about the unintended pairs; None if there are none."""
    number = sum(apart.values())
    if not number:
        return None
    rest = tuple(_rest(verdict, apart[verdict]) for verdict in VERDICTS if apart.get(verdict))
    return say_counted(
        number,
        "Not counted above: {count} pair that no route names and that is not delivered ({rest}).",
        "Not counted above: {count} pairs that no route names and that are not delivered ({rest}).",
        rest=_joined(rest),
    )


def _joined(parts: tuple[Sentence, ...]) -> Sentence | tuple[Sentence, ...]:
    if len(parts) == 2:
        return say("{first} and {second}", first=parts[0], second=parts[1])
    return parts


def _rest(verdict: str, count: int) -> Sentence:
    if verdict == MAY_DELIVER:
        return say_counted(count, "{count} may arrive or not", "{count} may arrive or not")
    if verdict == EXITS:
        return say_counted(count, "{count} leaves the estate", "{count} leave the estate")
    if verdict == DELAYED:
        return say_counted(count, "{count} waits where it begins", "{count} wait where they begin")
    if verdict == DROPPED:
        return say_counted(count, "{count} is dropped", "{count} are dropped")
    return say_counted(
        count, "{count} never arrives, in one way or another", "{count} never arrive, in one way or another"
    )


def tone(totals: Mapping[str, int], hanging: Mapping[str, int] | None = None) -> str:
    """The tone of the headline; `hanging`: the number of pairs with an unknown fact, which is no fault."""
    if any(totals.get(verdict, 0) > (hanging or {}).get(verdict, 0) for verdict in (DROPPED, MIXED)):
        return BAD
    return WARN if any(totals.get(verdict) for verdict in (DELAYED, MAY_DELIVER, DROPPED, MIXED)) else GOOD


def what_is_shown(rows: tuple[int, int], columns: tuple[int, int]) -> Sentence:
    """How many groups there are of how many; nothing is left out."""
    if rows[0] == rows[1] and columns[0] == columns[1]:
        return say(
            "{origins} by {services}, each by itself.",
            origins=say_counted(rows[1], "{count} origin", "{count} origins"),
            services=say_counted(columns[1], "{count} service", "{count} services"),
        )
    return say(
        "{rows} of {origins} by {columns} of {services}. Every pair is counted; a field shows the worst of its pairs.",
        rows=say_counted(rows[0], "{count} row", "{count} rows"),
        origins=say_counted(rows[1], "{count} origin", "{count} origins"),
        columns=say_counted(columns[0], "{count} column", "{count} columns"),
        services=say_counted(columns[1], "{count} service", "{count} services"),
    )


def only(count: int, verdict: str) -> Sentence:
    """Where nothing but one verdict is shown."""
    pairs = say_counted(count, "{count} pair", "{count} pairs")
    return say("{pairs}: {verdict}", pairs=pairs, verdict=WORDS[verdict])
