"""Sentences about conversations that are left over: headline, growth, causes and the order of work. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from brokerui.analysis.servers.leak import DatabaseLeak
from brokerui.core.moments import day_text
from routing.common.duration import in_words
from routing.common.sentence import Sentence, say, say_counted
from routing.dialog.states import CD, CO, DI, DO, ER, SI, SO
from routing.lint.endpoint_leaks import ServiceState
from routing.remedies.clean_up import ending_sql, lifetime_sql

DAY_S: Final = 86_400
NEARLY_ALL: Final = 99
"""Of 100 new conversations."""
_LEFT: Final[Mapping[str, Sentence]] = {
    DI: say("They ended, we did not"),
    ER: say("Ended by an error, not by us"),
    CD: say("Closed, not removed"),
    CO: say("Neither side ends"),
    DO: say("We ended, they did not answer"),
    SI: say("First message incomplete"),
    SO: say("Begun, nothing sent"),
}
_USED: Final[Mapping[str, Sentence]] = {
    DI: say("They ended just now"),
    ER: say("Ended by an error just now"),
    CD: say("Closed, removed soon"),
    CO: say("In use"),
    DO: say("Ending"),
    SI: say("Beginning"),
    SO: say("Beginning"),
}


def state_words(one: ServiceState) -> Sentence | str:
    """A few words for the state, other ones where it is a leak."""
    return (_LEFT if one.is_leak else _USED).get(one.state, one.state)


def why(one: ServiceState, leak: DatabaseLeak) -> Sentence | None:
    """Why conversations of this kind are left over; None where they are not."""
    if not one.is_leak:
        return None
    queue = leak.queues.get(one.service or "")
    if one.state == DI:
        if queue is not None:
            return say("The reader of {queue} never ends its side.", queue=queue)
        return say("The reader of its queue never ends its side.")
    return _WHY.get(one.state)


_WHY: Final[Mapping[str, Sentence]] = {
    ER: say("The reader of its queue does not end at an Error message."),
    CD: say("Sent and ended at once: kept against repeated messages for their lifetime."),
    CO: say("Begun again and again, and no side ends them."),
    DO: say("Their end was not acknowledged: see the way back."),
    SI: say("Their first message never became complete."),
    SO: say("The application begins dialogs that it does not use."),
}


def headline(leak: DatabaseLeak) -> Sentence:
    """The answer in one sentence, without a full stop."""
    if not leak.left:
        return say("No conversation of {database} is left over", database=leak.database)
    return say_counted(
        leak.left,
        "{count} conversation of {database} will never close by itself",
        "{count} conversations of {database} will never close by themselves",
        database=leak.database,
    )


def lead(leak: DatabaseLeak) -> Sentence | None:
    """How many more than before; None where there is nothing to compare with."""
    more = leak.left_more
    if more is None or leak.before is None or leak.at is None or not leak.left:
        return None
    duration = _duration(leak.at - leak.before.at)
    if more > 0:
        return say_counted(
            more, "{count} more than {duration} before.", "{count} more than {duration} before.", duration=duration
        )
    if more < 0:
        return say_counted(
            -more, "{count} fewer than {duration} before.", "{count} fewer than {duration} before.", duration=duration
        )
    return say("As many as {duration} before.", duration=duration)


def _duration(between: timedelta) -> Sentence:
    """The time between two collections; one that is about an hour or a day is called so."""
    hours = between.total_seconds() / 3600
    if 0.9 <= hours <= 1.1:
        return say("an hour")
    return say("a day") if 23 <= hours <= 25 else in_words(between)


def growth(leak: DatabaseLeak) -> Sentence:
    """The sentence that the chart says."""
    leader = leak.leader
    if leader is None or leak.first is None:
        if len(leak.history) < 2:
            return say("One collection shows no growth yet: the next one will")
        return say("Conversations that are left over do not grow")
    values = {
        "service": leader.of.service or "?",
        "share": leader.share,
        "a_day": f"{leader.a_day:,}",
        "first": day_text(leak.first.at),
    }
    rate = (
        say("{a_day} a day, steadily since {first}", **values)
        if leader.is_steady
        else say("{a_day} a day since {first}", **values)
    )
    if leader.share >= NEARLY_ALL:
        return say("{service} makes nearly all new ones: {rate}", service=values["service"], rate=rate)
    return say("{service} makes {share} of 100 new ones: {rate}", rate=rate, **values)


@dataclass(frozen=True, slots=True)
class WorkStep:
    """One step of the order of work."""

    title: Sentence
    text: Sentence
    sql: str = ""
    """To be copied; empty: nothing."""


def order_of_work(leak: DatabaseLeak) -> list[WorkStep]:
    """The order of work."""
    if not leak.left:
        return []
    return [*_stop(leak), _rest(leak), *_clean(leak), *_lifetimes(leak)]


def _stop(leak: DatabaseLeak) -> Iterator[WorkStep]:
    """Stop the source: in the reader for DI and ER, by the order of the ends for the other states."""
    title = say("Stop the leak")
    worst = leak.leader.of if leak.leader is not None else leak.leaks[0]
    service = worst.service or "?"
    if worst.state in (DI, ER):
        queue = leak.queues.get(service)
        where = (
            say("In the reader of {queue}", queue=queue)
            if queue
            else say("In the reader of {service}", service=service)
        )
        text = say("{where}: END CONVERSATION when a message of type EndDialog or Error arrives.", where=where)
        yield WorkStep(title, text, ending_sql())
    elif worst.state == CD:
        yield WorkStep(title, say("Let the target end first: {service} is sent to and ended at once.", service=service))
    elif worst.state == DO:
        yield WorkStep(title, say("Mend the way back to {service}: the other side does not answer.", service=service))
    else:
        yield WorkStep(
            title, say("Let one side of {service} end each conversation when it has its answer.", service=service)
        )


def _rest(leak: DatabaseLeak) -> WorkStep:
    states = ", ".join(dict.fromkeys(one.state for one in leak.leaks))
    return WorkStep(
        say("Let it rest for a day"),
        say("Collect again: the chart shows whether {states} still grow.", states=states),
    )


def _clean(leak: DatabaseLeak) -> Iterator[WorkStep]:
    if any(one.state == DI for one in leak.leaks):
        yield WorkStep(
            say("Clean up the conversations that are left over"),
            say("Run the script below at a quiet hour. It only counts until @run = 1."),
        )


def _lifetimes(leak: DatabaseLeak) -> Iterator[WorkStep]:
    """Give dialogs a lifetime where conversations stay that the script does not end."""
    kept = [one for one in leak.leaks if one.state in (CD, CO, SO) and one.service]
    if not kept:
        return
    names = tuple(dict.fromkeys(one.service or "" for one in kept))
    begun = next((one for one in kept if one.is_initiator), None)
    if begun is not None:
        sql = lifetime_sql(begun.service or "", begun.far_service, DAY_S)
    else:
        sql = lifetime_sql(kept[0].far_service or "…", kept[0].service, DAY_S)
    text = say("{services}: a day is enough for most; then they go by themselves.", services=names)
    yield WorkStep(say("Give new conversations a lifetime"), text, sql)
