"""Sentences of the page about ways."""

from __future__ import annotations

from routing.common.sentence import Sentence, say, say_counted
from routing.lint.loopback import is_loopback
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS
from routing.rules.reason_words import REASON_WORDS

ENDS = {EXITS: "\0exits:", DELAYED: "\0delayed:", DROPPED: "\0dropped:"}
"""How the names of ends begin that are no place of the estate; no name of it holds a NUL."""
HEADS = (say("Origin"), say("Next hop"), say("End"))
"""Headings of the columns."""


def outcome_words(outcome: str) -> Sentence:
    """How something ends."""
    words = {DELIVERED: say("Delivered"), EXITS: say("Exits"), DELAYED: say("Delayed"), DROPPED: say("Dropped")}
    return words[outcome]


def reason_words(outcome: str, detail: str) -> Sentence:
    """An end that is no database."""
    if outcome == EXITS:
        address = detail.removeprefix("tcp://")
        if is_loopback(address.rpartition(":")[0]):
            return say("To {address} on the sender's own machine", address=address)
        return say("Exits to {address}", address=address)
    reason = REASON_WORDS[detail]
    return say("Delayed: {reason}", reason=reason) if outcome == DELAYED else say("Dropped: {reason}", reason=reason)


def more(column: int, count: int) -> Sentence:
    """Name the number of nodes that are folded into one."""
    if column == 0:
        return say_counted(count, "{count} more origin", "{count} more origins")
    if column == 1:
        return say_counted(count, "{count} more next hop", "{count} more next hops")
    return say_counted(count, "{count} more end", "{count} more ends")


def title(ways: int, of_places: tuple[int, int, int], folded: tuple[int, int, int]) -> Sentence:
    """How much the picture shows."""
    values = {
        "ways": say_counted(ways, "{count} way", "{count} ways"),
        "origins": say_counted(of_places[0], "{count} origin", "{count} origins"),
        "hops": say_counted(of_places[1], "{count} next hop", "{count} next hops"),
        "ends": say_counted(of_places[2], "{count} end", "{count} ends"),
    }
    if any(folded):
        values["folded"] = say_counted(sum(folded), "{count} smaller place", "{count} smaller places")
        return say("{ways} from {origins} by {hops} to {ends}; {folded} are drawn together.", **values)
    return say("{ways} from {origins} by {hops} to {ends}.", **values)
