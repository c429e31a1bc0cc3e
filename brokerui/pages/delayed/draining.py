"""Drains as the page *Delayed* has them: the estimate before an act, the progress after it, and those that ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from brokerui.analysis.drains.counting import DrainPlace, rate_of, targets_of
from brokerui.analysis.drains.estimate import DrainFacts, drain_seconds
from brokerui.analysis.drains.models import Drain, DrainAct, DrainKind
from brokerui.analysis.drains.selectors import Drains, took_s
from brokerui.analysis.explanations.holding import OF_ROUTING
from brokerui.analysis.monitoring.waiting import WaitingGroup
from brokerui.analysis.monitoring.wording import SECOND_MS, age, messages, moment
from brokerui.analysis.remedies.conversation_offers import is_well
from routing.model.estate import Estate
from routing.rules.explanation import Explanation


@dataclass(frozen=True, slots=True)
class DrainOnPage:
    """Messages that flow."""

    done: int
    messages: int
    words: str


@dataclass(frozen=True, slots=True)
class EndedDrain:
    """Messages that flowed; nothing of them waits any more."""

    place: str
    at: datetime
    words: str
    is_well: bool
    """Whether routing delivers the next message, too."""


def estimate_words(
    group: WaitingGroup, explanation: Explanation, estate: Estate, rates: Mapping[tuple[str, str], int], at: int
) -> str:
    """Return how long the messages of a group need; empty where no rate is known."""
    mended = group.cause in OF_ROUTING and is_well(explanation, estate)
    facts = DrainFacts(
        messages=group.messages,
        per_minute=rate_of(rates, targets_of(explanation)),
        last_attempt_in_s=max(0, (group.last_attempt or at) - at) // SECOND_MS,
        is_due=not mended,
    )
    seconds = drain_seconds(facts)
    if seconds is None:
        return ""
    values = {"messages": messages(group.messages), "age": age(seconds * SECOND_MS)}
    if mended:
        return gettext("%(messages)s drain in about %(age)s, with the attempts that are planned.") % values
    return gettext("Once that is mended, %(messages)s drain in about %(age)s.") % values


def drain_on_page(group: WaitingGroup, drains: Drains, at: int) -> DrainOnPage | None:
    """Return the progress of a group since an act; None where none is watched."""
    drain = drains.flowing.get((DrainKind.WAY, group.instance, group.database, group.service))
    if drain is None:
        return None
    done = max(0, drain.messages - group.messages)
    values = {"done": f"{done:,}", "messages": f"{drain.messages:,}", "act": _act(drain)}
    words = gettext("%(act)s: %(done)s of %(messages)s gone") % values
    left = _left_s(drain, at)
    if left is not None:
        words = gettext("%(words)s, about %(age)s left") % {"words": words, "age": age(left * SECOND_MS)}
    return DrainOnPage(done, drain.messages, words)


def _left_s(drain: Drain, at: int) -> int | None:
    """Seconds that the estimate leaves; None where there is none, or it is over."""
    left = None if drain.estimate_s is None else drain.estimate_s - (at - drain.began_at) // SECOND_MS
    return left if left is not None and left > 0 else None


def _act(drain: Drain) -> str:
    if drain.act == DrainAct.VERSION:
        return gettext("Version %(number)s, by %(author)s") % {"number": drain.version, "author": drain.author}
    if drain.act == DrainAct.SWITCH_ON:
        return gettext("Switched on by %(author)s") % {"author": drain.author}
    return gettext("Retried by %(author)s") % {"author": drain.author}


def ended_drains(drains: Drains) -> list[EndedDrain]:
    """Return the drains of the last day, the newest first."""
    return [_ended(drain) for drain in drains.drained]


def _ended(drain: Drain) -> EndedDrain:
    place = DrainPlace.of(drain)
    is_queue = place.kind == DrainKind.QUEUE
    name = gettext("queue %(name)s in %(place)s") if is_queue else gettext("%(name)s from %(place)s")
    values = {"act": _act(drain), "messages": messages(drain.messages), "took": age(took_s(drain) * SECOND_MS)}
    if drain.estimate_s is None:
        words = gettext("%(act)s: %(messages)s in %(took)s") % values
    else:
        about = age(drain.estimate_s * SECOND_MS)
        words = gettext("%(act)s: %(messages)s in %(took)s (estimated: about %(about)s)") % {**values, "about": about}
    return EndedDrain(
        name % {"name": place.subject, "place": f"{place.instance}/{place.database}"},
        moment(drain.ended_at or drain.began_at),
        words,
        drain.is_well is not False,
    )
