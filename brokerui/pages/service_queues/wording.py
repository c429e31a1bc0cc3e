"""A queue in words: its state with the reason, and its readers."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from brokerui.analysis.monitoring.queue_readers import QueueReaders, SwitchedOff
from brokerui.analysis.monitoring.service_queues import HostedQueue
from brokerui.analysis.monitoring.wording import age, moment
from brokerui.api.ids import id_of
from brokerui.core.moments import clock_words, day_text, moment_words
from routing.common.moment import to_milliseconds
from routing.dialog.poison_messages import MAX_CONSECUTIVE_ROLLBACKS

RARE = 0.1
"""A rate below this is shown as such."""


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A row of the list, in words."""

    state: HostedQueue
    link: str
    """The page of the queue."""
    oldest: str
    arrived: str
    received: str
    status: str
    """On or off, since when and why."""
    readers: str
    """How many run of how many; empty: it has no activation."""
    failure: str
    """The last failure of a reader; empty: none is known."""

    @property
    def place(self) -> str:
        return f"{self.state.address.instance}/{self.state.address.database}"


def queue_line(state: HostedQueue, readers: QueueReaders, at: int) -> QueueLine:
    """Return a queue as a row has it."""
    return QueueLine(
        state,
        link_to(state),
        age(state.oldest_age_ms) if state.messages and state.oldest_age_ms is not None else "",
        rate(state.arrived),
        rate(state.received),
        status_words(state, readers.off, at),
        readers_words(state, readers),
        failure_words(readers, at),
    )


def link_to(state: HostedQueue) -> str:
    """Return the address of the page of a queue."""
    return reverse("service_queues:queue", args=[id_of(tuple(state.address))])


def rate(messages: float) -> str:
    """Messages a minute: whole ones, below ten with a digit."""
    if 0 < messages < RARE:
        return f"< {RARE}"
    return f"{messages:,.0f}" if messages >= 10 or messages == int(messages) else f"{messages:.1f}"


def status_words(state: HostedQueue, off: SwitchedOff | None, at: int) -> str:
    """Return whether it is on, and what an operator should know of that."""
    if state.is_on:
        return _on_words(state)
    if off is None:
        return gettext("Off")
    values = {"since": clock(to_milliseconds(off.at), at), "author": off.author}
    if off.is_poisoned:
        return gettext("Off since %(since)s: five receives in a row were rolled back") % values
    return gettext("Off since %(since)s: switched off by %(author)s") % values


def clock(at: int, today: int) -> str:
    """The time of day of a moment, after its date where it is not today; it stays the same from poll to poll."""
    then = moment(at)
    return clock_words(then) if day_text(then) == day_text(moment(today)) else moment_words(then)


def _on_words(state: HostedQueue) -> str:
    if not state.rollbacks:
        return gettext("On")
    if not state.has_poison_handling:
        return gettext("On")
    words = ngettext(
        "On; %(n)s receive of %(most)s in a row was rolled back",
        "On; %(n)s receives of %(most)s in a row were rolled back",
        state.rollbacks,
    )
    return words % {"n": state.rollbacks, "most": MAX_CONSECUTIVE_ROLLBACKS}


def readers_words(state: HostedQueue, readers: QueueReaders) -> str:
    """Return how many readers run."""
    activation = state.activation
    if activation is None:
        return ""
    if not activation.enabled:
        return gettext("activation is off")
    return gettext("%(n)s of %(most)s run") % {"n": readers.running, "most": activation.max_readers}


def failure_words(readers: QueueReaders, at: int) -> str:
    """Return the last failure of a reader, and how long ago it was."""
    failure = readers.failure
    if failure is None:
        return ""
    values = {"at": clock(failure.at, at), "text": failure.text}
    if not failure.can_start:
        return gettext("could not start at %(at)s: %(text)s") % values
    return gettext("failed at %(at)s: %(text)s") % values
