"""Titles of causes, and their effects: one sentence each. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from brokerui.analysis.overview.causes import CauseKind, HeldCause
from routing.common.sentence import Sentence, say
from routing.dialog.status_kind import NOT_ACKNOWLEDGED
from routing.rules.decision import DROPPED

_Title = Callable[[HeldCause], Sentence]


def _no_key(cause: HeldCause) -> Sentence:
    return say("{place} has no remote service binding for {service}", place=cause.place, service=cause.subject)


def _no_route(cause: HeldCause) -> Sentence:
    return say("No route leads from {place} to {service}", place=cause.place, service=cause.subject)


def _not_there(cause: HeldCause) -> Sentence:
    return say("{service} is not where the route of {place} leads", place=cause.place, service=cause.subject)


def _broker_off(cause: HeldCause) -> Sentence:
    return say("The broker of {place} is disabled", place=cause.place)


def _is_mirror(cause: HeldCause) -> Sentence:
    return say("{place} is the mirror and sends nothing", place=cause.place)


def _no_principal(cause: HeldCause) -> Sentence:
    return say("{place} knows no principal for {service}", place=cause.place, service=cause.subject)


def _unreachable(cause: HeldCause) -> Sentence:
    return say("{place} cannot reach the server of {service}", place=cause.place, service=cause.subject)


def _not_let_in(cause: HeldCause) -> Sentence:
    return say("{place} and the server of {service} do not let each other in", place=cause.place, service=cause.subject)


def _unacknowledged(cause: HeldCause) -> Sentence:
    return say("{service} does not acknowledge messages of {place}", place=cause.place, service=cause.subject)


_TITLES: Final[Mapping[int, _Title]] = {
    0: _unacknowledged,
    954: _is_mirror,
    9727: _no_key,
    9748: _unreachable,
    9750: _no_route,
    9751: _not_let_in,
    9752: _not_let_in,
    9753: _no_principal,
    9754: _unreachable,
    9755: _unreachable,
    9756: _unreachable,
    9757: _unreachable,
    9758: _not_let_in,
    9783: _unreachable,
    9791: _broker_off,
    9793: _no_route,
    9795: _not_there,
    9796: _not_there,
}
"""By transmission status; all others say only that messages cannot be sent."""


def title_of(cause: HeldCause) -> Sentence:
    """Name the fault, with both ends; without a full stop."""
    if cause.kind is CauseKind.QUEUE_OFF:
        return say("Queue {queue} in {place} is off", queue=cause.subject, place=cause.place)
    if cause.kind is CauseKind.LOGGED:
        return say("{place} logged error {number}", place=cause.place, number=str(cause.number))
    if cause.discarded_at:
        return say("{place} discards messages for {service}", place=cause.discarded_at, service=cause.subject)
    if cause.outcome == DROPPED:
        return _discards(cause)
    if not cause.subject:
        return say("{place} cannot send messages to a service that was not collected", place=cause.place)
    if cause.kind is CauseKind.COLLECTED and not cause.number and cause.example != NOT_ACKNOWLEDGED:
        return _cannot_send(cause)  # the status is a text that is not in the catalogue
    return _TITLES.get(cause.number, _cannot_send)(cause)


def no_way_back_title(cause: HeldCause) -> Sentence:
    """Name the fault of messages that arrive while their acknowledgements do not."""
    return say("{service} has no way back to {place}", place=cause.place, service=cause.subject)


def mended_title(cause: HeldCause) -> Sentence:
    """Name the conversations that only wait for their next attempt: routing would deliver them now."""
    return say("The way from {place} to {service} is mended", place=cause.place, service=cause.subject)


def _cannot_send(cause: HeldCause) -> Sentence:
    return say("{place} cannot send to {service}", place=cause.place, service=cause.subject)


def _discards(cause: HeldCause) -> Sentence:
    if cause.subject:
        return say("{place} discards messages for {service}", place=cause.place, service=cause.subject)
    return say("{place} discards messages that arrive", place=cause.place)


OVER: Final = say("The conversation has failed with an error, so nothing is sent again.")
KEEPS: Final = say("Their sender keeps each of them and sends it again, so nothing is lost yet.")
OFF: Final = say("Messages that arrive for it wait in the transmission queue of its database.")
