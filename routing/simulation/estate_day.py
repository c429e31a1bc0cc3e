"""A day of an estate in memory: its own brokers exchange the messages of drawn conversations, and report their events.

Every hop is the engine's. Drawn are the conversations, the latency of the network, and one route that is missing for an
hour. The same plan gives the same events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from routing.common.broker_events import Event
from routing.common.choices import Choices
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.end_conversation import end_conversation
from routing.dialog.endpoint import QueueKey
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import VerbError
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.dialog.system_names import DEFAULT, END_DIALOG_TYPE, ERROR_TYPE
from routing.dialog.unit_of_work import UnitOfWork
from routing.model.catalog_objects import Service
from routing.model.estate import Database, Estate
from routing.runtime.broker import Broker
from routing.simulation.chance import Chance
from routing.simulation.clock import Scheduler
from routing.simulation.memory_store import MemoryStore

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
MISSING_MS: Final = (11 * HOUR_MS, 12 * HOUR_MS)
"""Since the start of the day: from when to when one route is missing."""
LIFETIME_S: Final = 1_500
"""An application gives up after this time: a dialog that nobody gets would be tried once a minute for the whole day."""
LATENCY_MS: Final = (2, 60)
READ_AFTER_MS: Final = (20, 3_000)
RECEIVED_AT_ONCE: Final = 50
NAMED_SHARE: Final = 850
"""Conversations of a thousand that go to a service which a route of their database names."""
REPLY_SHARE: Final = 600
"""Messages of a thousand that are answered."""
BATCHES_AT_ONCE: Final = 2_000

EventBatch = tuple[str, Sequence[tuple[int, Event]]]
"""Events of an instance, each with its moment in milliseconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPlan:
    """The estate, conversations and seed that determine a day."""

    estate: Estate
    seed: int
    start_ms: int
    """Milliseconds since 1970."""
    conversations: int


class RoutePlace(NamedTuple):
    """The place of a route, with its name."""

    instance: str
    database: str
    name: str


class EstateDay:
    """The day under way; `events` runs it."""

    def __init__(self, plan: DayPlan) -> None:
        self._plan = plan
        self._estate = _accepting_default(plan.estate)
        self._scheduler = Scheduler()
        self._scheduler.now = plan.start_ms
        self._chance = Chance(plan.seed, "day")
        self._owners = {str(one): each.name for each in self._estate.instances.values() for one in each.addresses}
        self._brokers: dict[str, Broker] = {}
        self._alarms: dict[str, int] = {}
        self._reading: set[tuple[str, QueueKey]] = set()
        self._events: list[EventBatch] = []
        self.missing: RoutePlace | None = None
        """The route that is missing for an hour; None: no conversation goes by a network route of its service."""
        self.begun = 0
        """Conversations that began so far."""

    def events(self) -> Iterator[list[EventBatch]]:
        """Run the day; yield the events of all brokers in portions, in the order of time."""
        self._draw()
        end = self._plan.start_ms + DAY_MS
        while self._scheduler.step(end):
            if len(self._events) >= BATCHES_AT_ONCE:
                yield self._taken()
        yield self._taken()

    def _taken(self) -> list[EventBatch]:
        found, self._events = self._events, []
        return found

    # ------------------------------------------------------------ conversations

    def _draw(self) -> None:
        """Schedule the conversations, more of them by day than by night."""
        origins = [
            (instance.name, database, service.name)
            for instance in self._estate.instances.values()
            for database in instance.databases.values()
            if database.broker_enabled
            for service in database.user_services
        ]
        targets = sorted({service for _, _, service in origins})
        if not origins:
            return
        ways: Counter[RoutePlace] = Counter()
        for number in range(self._plan.conversations):
            chance = self._chance.of("conversation", number)
            instance, database, service = chance.pick(origins)
            to = _target(chance, database, targets)
            ways.update(_routes_to(instance, database, to))
            at = self._plan.start_ms + _moment_of_day(chance)
            self._scheduler.at(at, self._begin, instance, database.name, service, to, chance)
        self._plan_missing(ways)

    def _plan_missing(self, ways: Counter[RoutePlace]) -> None:
        """Have the route that most conversations go by dropped, and created again an hour later."""
        if ways:
            [(self.missing, _count)] = ways.most_common(1)
            whole, without = self._estate, self._estate.with_route(*self.missing, None)
            for moment, estate in zip(MISSING_MS, (without, whole), strict=True):
                self._scheduler.at(self._plan.start_ms + moment, self._change, self.missing.instance, estate)

    def _change(self, instance: str, estate: Estate) -> None:
        broker = self._broker(instance)
        broker.change_estate(estate)
        broker.retry_all(self._scheduler.now)
        broker.handle_timer(self._scheduler.now)
        self._give_out(instance)

    def _begin(self, instance: str, database: str, service: str, to: str, chance: Chance) -> None:
        broker = self._broker(instance)
        work = broker.work(ClaimRequest(), self._scheduler.now)
        try:
            handle = begin_dialog(work, database, service, to, lifetime_s=LIFETIME_S, encryption=False)
            for _ in range(chance.weighed(((1, 6), (2, 2), (5, 1)))):
                send(work, (handle,), DEFAULT, bytes(chance.pick((40, 400, 4_000))))
        except VerbError:
            broker.release(work)
            return
        self.begun += 1
        broker.commit(work)
        self._give_out(instance)

    def _read(self, instance: str, queue: QueueKey) -> None:
        """An application receives from a queue, and answers."""
        self._reading.discard((instance, queue))
        broker, now = self._broker(instance), self._scheduler.now
        first = broker.work(ClaimRequest(receive=ReceiveRequest(queue, RECEIVED_AT_ONCE)), now)
        if not first.batch.received:
            broker.release(first)
            return
        handles = tuple({message.conversation_handle: None for message in first.batch.received})
        request = ReceiveRequest(queue, RECEIVED_AT_ONCE, group=first.batch.received_group)
        work = broker.work(ClaimRequest(handles=handles, receive=request, token=first.batch.token), now)
        for message in receive(work, request):
            self._answer(work, message)
        broker.commit(work)
        self._give_out(instance)
        self._schedule_read(instance, queue)

    def _answer(self, work: UnitOfWork, message: QueuedMessage) -> None:
        """A target answers some messages; an initiator ends with the answer, a target after that."""
        handle = message.conversation_handle
        endpoint = work.get(handle)
        if endpoint is None:
            return
        chance = self._chance.of("answer", endpoint.conversation_id, message.message_sequence_number)
        try:
            if message.message_type_name in (END_DIALOG_TYPE, ERROR_TYPE) or endpoint.is_initiator:
                end_conversation(work, handle)
            elif chance.happens(REPLY_SHARE):
                send(work, (handle,), DEFAULT, bytes(chance.pick((40, 400))))
        except VerbError:
            return

    # ------------------------------------------------------------ brokers and network

    def _broker(self, instance: str) -> Broker:
        if instance not in self._brokers:
            choices = Choices(self._chance.of("choices", instance).getrandbits)
            self._brokers[instance] = Broker(self._estate, instance, MemoryStore(), choices)
        return self._brokers[instance]

    def _give_out(self, instance: str) -> None:
        """Hand over the frames, events and filled queues of a broker, and set its next alarm."""
        broker, now = self._brokers[instance], self._scheduler.now
        for outbound in broker.frames_to_send(now):
            self._send(outbound.address, outbound.frame)
        if events := broker.events():
            self._events.append((instance, events))
        for queue in sorted(broker.filled()):
            self._schedule_read(instance, queue)
        self._set_alarm(instance, broker.next_timer())

    def _send(self, address: str, frame: bytes) -> None:
        """A frame arrives after a while, or is lost where no instance has the address."""
        to = self._owners.get(address)
        if to is not None:
            self._scheduler.after(self._chance.between(*LATENCY_MS), self._arrive, to, frame)

    def _arrive(self, instance: str, frame: bytes) -> None:
        self._broker(instance).receive([frame], self._scheduler.now)
        self._give_out(instance)

    def _schedule_read(self, instance: str, queue: QueueKey) -> None:
        if (instance, queue) not in self._reading:
            self._reading.add((instance, queue))
            self._scheduler.after(self._chance.between(*READ_AFTER_MS), self._read, instance, queue)

    def _set_alarm(self, instance: str, moment: int | None) -> None:
        known = self._alarms.get(instance)
        if moment is not None and (known is None or moment < known):
            self._alarms[instance] = moment
            self._scheduler.at(moment, self._ring, instance, moment)

    def _ring(self, instance: str, moment: int) -> None:
        if self._alarms.get(instance) == moment:
            del self._alarms[instance]
            self._broker(instance).handle_timer(self._scheduler.now)
            self._give_out(instance)


def _moment_of_day(chance: Chance) -> int:
    """Milliseconds since midnight: the later of two draws and the earlier of two others meet around noon."""
    return (chance.below(DAY_MS) + chance.below(DAY_MS)) // 2


def _target(chance: Chance, database: Database, services: Sequence[str]) -> str:
    named = list(database.table.named)
    return chance.pick(named) if named and chance.happens(NAMED_SHARE) else chance.pick(services)


def _routes_to(instance: str, database: Database, service: str) -> Iterator[RoutePlace]:
    """The network routes of a database that name the service."""
    for route in database.table.routes.values():
        if route.remote_service_name == service and route.address.is_network:
            yield RoutePlace(instance, database.name, route.name)


def _accepting_default(estate: Estate) -> Estate:
    """Return the estate with services that accept DEFAULT and have a queue: the day tries routes, not contracts."""
    for instance in estate.instances.values():
        for database in instance.databases.values():
            services = tuple(map(_with_default, database.services))
            here = estate.instances[instance.name]
            estate = estate.with_instance(here.with_database(replace(database, services=services)))
    return estate


def _with_default(service: Service) -> Service:
    kept = tuple(name for name in service.contracts if name != DEFAULT)
    return service.with_contracts(service.queue or f"dbo.{service.name}", kept, (DEFAULT,))
