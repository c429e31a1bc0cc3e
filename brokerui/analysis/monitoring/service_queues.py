"""The queues of hosted instances as they are now: messages, the oldest, arrivals, receives, and whether they are on.

However many queues and messages there are, the number of queries is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Sum

from brokerui.analysis.monitoring.arrived import ArrivedGroup
from brokerui.analysis.monitoring.finished import LATE_MS
from brokerui.analysis.monitoring.history import RATE_MINUTES
from brokerui.analysis.monitoring.spans import MINUTE_MS
from brokerui.analysis.monitoring.waiting import waiting_now
from brokerui.eventlog.models import MINUTE, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.models import Queue as QueueRow
from brokerui.messaging.models import QueueCounter
from brokerui.messaging.queue_address import QueueAddress
from routing.model.catalog_objects import Activation, Queue
from routing.model.estate import Database, Estate

Numbers = Mapping[QueueAddress, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedQueue:
    """One queue."""

    address: QueueAddress
    is_on: bool
    """STATUS: off, it neither gives nor takes a message."""
    messages: int = 0
    oldest_age_ms: int | None = None
    """By the last sample; None: it was empty then, or there is no sample."""
    arrived: float = 0.0
    """Messages a minute, as `received`."""
    received: float = 0.0
    waiting: int = 0
    """Conversations whose messages wait in the transmission queue of the database until the queue is on."""
    rollbacks: int = 0
    """Receives in a row that were rolled back."""
    has_poison_handling: bool = True
    has_retention: bool = False
    activation: Activation | None = None

    @property
    def name(self) -> str:
        return f"{self.address.instance}/{self.address.database}.{self.address.queue}"

    @property
    def is_near_poison(self) -> bool:
        """Whether its last receives were rolled back, so that it may be switched off next."""
        return self.is_on and self.rollbacks > 0 and self.has_poison_handling

    @property
    def has_readers(self) -> bool:
        """Whether activation is on for it."""
        return self.activation is not None and self.activation.enabled and self.is_on

    @property
    def holds(self) -> bool:
        """Whether it is off and messages wait in it or for it."""
        return not self.is_on and (self.messages > 0 or self.waiting > 0)


def queue_states(estate: Estate, at: int) -> list[HostedQueue]:
    """Return all queues of hosted instances, in the order of their names."""
    found = [(address, queue) for name in hosted_names() for address, queue in _queues(estate, name)]
    if not found:
        return []
    off = any(not queue.enabled for _, queue in found)
    depths, ages, rollbacks = _depths(), _ages(at), _rollbacks()
    arrived, received = _rates(estate, at)
    waiting = _waiting(waiting_now().arrived) if off else {}
    return [
        HostedQueue(
            address=address,
            is_on=queue.enabled,
            messages=max(0, depths.get(address, 0)),
            oldest_age_ms=ages.get(address),
            arrived=arrived.get(address, 0) / RATE_MINUTES,
            received=received.get(address, 0) / RATE_MINUTES,
            waiting=waiting.get(address, 0),
            rollbacks=rollbacks.get(address, 0),
            has_poison_handling=queue.poison_handling,
            has_retention=queue.retention,
            activation=queue.activation,
        )
        for address, queue in found
    ]


def _queues(estate: Estate, instance: str) -> Iterator[tuple[QueueAddress, Queue]]:
    """Those that are written, and those that only a service names."""
    if instance not in estate.instances:
        return
    for database in estate.instances[instance].databases.values():
        queues = {queue.name: queue for queue in database.queues}
        queues = {name: Queue(name) for _, name in _of_services(database)} | queues
        yield from ((QueueAddress(instance, database.name, name), queues[name]) for name in sorted(queues))


def _of_services(database: Database) -> Iterator[tuple[str, str]]:
    return ((service.name, service.queue or service.name) for service in database.user_services)


def _depths() -> Numbers:
    rows = QueueCounter.objects.values_list("instance__name", "database", "queue")
    return {QueueAddress(*place): sum_ for *place, sum_ in rows.annotate(sum=Sum("messages")).order_by()}


def _ages(at: int) -> Numbers:
    """How old the oldest message is by now, as far as it was looked at in the last minutes."""
    rows = Sampled.objects.filter(seconds=MINUTE, at__gte=at - LATE_MS, kind=int(OfSample.QUEUE))
    columns = rows.order_by("at").values_list("instance", "database", "name", "at", "oldest_age_ms")
    return {QueueAddress(*place): age + at - then for *place, then, age in columns if age is not None}


def _rollbacks() -> Numbers:
    rows = QueueRow.objects.filter(rollbacks__gt=0)
    return {
        QueueAddress(*place): n for *place, n in rows.values_list("instance__name", "database", "name", "rollbacks")
    }


def _rates(estate: Estate, at: int) -> tuple[Numbers, Numbers]:
    """Messages that came and that were received in the last whole minutes, by queue."""
    minute = at - at % MINUTE_MS
    kinds = [int(OfSample.ENQUEUED), int(OfSample.RECEIVED)]
    rows = Sampled.objects.filter(
        seconds=MINUTE, at__gte=minute - RATE_MINUTES * MINUTE_MS, at__lt=minute, kind__in=kinds
    )
    by = rows.values_list("kind", "instance", "database", "name").annotate(sum=Sum("depth")).order_by()
    arrived, received = Counter[QueueAddress](), Counter[QueueAddress]()
    for kind, instance, database, name, messages in by:
        if kind == OfSample.RECEIVED:
            received[QueueAddress(instance, database, name)] += messages
        else:
            arrived[QueueAddress(instance, database, queue_of(estate, instance, database, name))] += messages
    return arrived, received


def queue_of(estate: Estate, instance: str, database: str, service: str) -> str:
    """Return the queue of a service; its own name where the service is not there any more."""
    here = estate.instances[instance].databases.get(database) if instance in estate.instances else None
    return next((queue for name, queue in _of_services(here) if name == service), service) if here else service


def services_of(estate: Estate, address: QueueAddress) -> list[str]:
    """Return the services whose messages a queue has."""
    here = estate.instances[address.instance].databases[address.database]
    return [name for name, queue in _of_services(here) if queue == address.queue]


def _waiting(groups: Iterable[ArrivedGroup]) -> Numbers:
    return {QueueAddress(*group[:3]): group.conversations for group in groups if group.is_off}
