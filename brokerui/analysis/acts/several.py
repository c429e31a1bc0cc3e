"""Several retries, or several queues switched: a plan of each first, then the result of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from django.db.models import Count, Sum
from django.utils.translation import gettext

from brokerui.analysis.acts import services
from brokerui.analysis.monitoring.waiting import IN_INDEX
from brokerui.core.instance_limit import check_instances
from brokerui.estate.errors import EstateStaleError
from brokerui.messaging.broker_cache import broker_of, check_database, check_queue
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.models import ConversationEndpoint, QueueCounter
from routing.dialog.problems import VerbError


class RetriedPlace(NamedTuple):
    """A database and the service that its messages wait for."""

    instance: str
    database: str
    service: str


class QueuePlace(NamedTuple):
    """A queue."""

    instance: str
    database: str
    queue: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an act is refused; without words: it is not."""

    words: str = ""
    number: int = 0
    """The product's; 0: it has none."""


ACCEPTED = Refusal()


Place = TypeVar("Place", RetriedPlace, QueuePlace)


@dataclass(frozen=True, slots=True)
class ActPlan(Generic[Place]):
    """One place with the messages that the act lets flow."""

    place: Place
    messages: int = 0
    """Of a retry, those that wait; of a queue, those in it."""
    conversations: int = 0
    """With messages that wait: for the service, or for the queue."""
    refusal: Refusal = ACCEPTED


def refusal_of(act: Callable[[], object]) -> Refusal:
    """Act; return why it was refused."""
    try:
        act()
    except VerbError as error:
        return Refusal(str(error.render(gettext)), error.number)
    except MessagingError as error:
        return Refusal(str(error.problem.render(gettext)), error.number)
    except EstateStaleError:
        return Refusal(gettext("Somebody changed the estate at the same time. Nothing was done; try again."))
    return ACCEPTED


# -- Retries -----------------------------------------------------------------------------------------------


def retry_plans(places: Sequence[RetriedPlace]) -> list[ActPlan[RetriedPlace]]:
    """The plan of each place as it is now, each place once; it changes nothing. One query, however many there are."""
    rows = ConversationEndpoint.objects.filter(
        IN_INDEX, outgoing__gt=0, far_service__in={place.service for place in places}
    )
    sums = rows.values_list("instance__name", "database", "far_service").order_by()
    waiting = {
        RetriedPlace(*one[:3]): one[3:] for one in sums.annotate(sum=Sum("outgoing"), n=Count("conversation_handle"))
    }
    return [
        ActPlan(place, messages, conversations, refusal_of(partial(_check_database, place)))
        for place in dict.fromkeys(places)
        for messages, conversations in (waiting.get(place, (0, 0)),)
    ]


def retry_each(plans: Sequence[ActPlan[RetriedPlace]], author: str) -> list[ActPlan[RetriedPlace]]:
    """Retry each, in a transaction of its own, and return the plans with the refusals that came true.

    Raises `InstanceForbiddenError` before the first where one is of an instance for which the user has no role.
    """
    check_instances(plan.place.instance for plan in plans)
    return [
        replace(plan, refusal=refusal_of(partial(services.retry, **plan.place._asdict(), author=author)))
        for plan in plans
    ]


def _check_database(place: RetriedPlace) -> None:
    check_database(broker_of(place.instance), place.database)


# -- Queues ------------------------------------------------------------------------------------------------


def switch_plans(places: Sequence[QueuePlace]) -> list[ActPlan[QueuePlace]]:
    """The plan of each queue as it is now, each queue once; it changes nothing. Two queries, however many there are."""
    names = {place.queue for place in places}
    counters = QueueCounter.objects.filter(queue__in=names).values_list("instance__name", "database", "queue")
    inside = {QueuePlace(*one[:3]): one[3] for one in counters.annotate(sum=Sum("messages")).order_by()}
    rows = ConversationEndpoint.objects.filter(IN_INDEX, held__gt=0, queue__in=names)
    held = rows.values_list("instance__name", "database", "queue").order_by().annotate(n=Count("conversation_handle"))
    waiting = {QueuePlace(*one[:3]): one[3] for one in held}
    return [
        ActPlan(place, max(0, inside.get(place, 0)), waiting.get(place, 0), refusal_of(partial(_check_queue, place)))
        for place in dict.fromkeys(places)
    ]


def switch_each(plans: Sequence[ActPlan[QueuePlace]], *, is_on: bool, author: str) -> list[ActPlan[QueuePlace]]:
    """Switch each, in a transaction of its own, and return the plans with the refusals that came true.

    Raises `InstanceForbiddenError` as `retry_each`.
    """
    check_instances(plan.place.instance for plan in plans)
    act = services.switch_on if is_on else services.switch_off
    return [replace(plan, refusal=refusal_of(partial(act, **plan.place._asdict(), author=author))) for plan in plans]


def _check_queue(place: QueuePlace) -> None:
    check_queue(broker_of(place.instance), (place.database, place.queue))
