"""Scheduled faults of queues and databases: switched off, poisoned, disabled, given a new broker, or altered.

Each kind draws from its own random source, so that leaving it out changes nothing else in the world.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from routing.model.estate import Estate
from routing.simulation.chance import Chance
from routing.simulation.clock import START
from routing.simulation.faults import FaultLevel, Mask

ERRING_PERMILLE: Final = 150
"""Probability in permille that the conversations of a database are ended with an error: it hides much else."""
NEWER_FAULT_PERMILLE: Final = 300
"""Probability in permille of each newer fault kind. Kept low: such a fault ends conversations and hides others."""

QueueLocation = tuple[str, str, str]
"""An instance, a database and a queue."""


@dataclass(frozen=True, slots=True)
class QueueOutage:
    """A queue is off for a period."""

    name: str
    instance: str
    database: str
    queue: str
    begins: int
    ends: int


@dataclass(frozen=True, slots=True)
class Poison:
    """Poison messages: the application rolls back everything it receives until its queue is switched off."""

    name: str
    instance: str
    database: str
    queue: str
    begins: int
    down: int
    """Milliseconds until an administrator fixes the cause and switches the queue on."""


@dataclass(frozen=True, slots=True)
class BrokerOutage:
    """The broker of a database is disabled for a period."""

    name: str
    instance: str
    database: str
    begins: int
    ends: int


@dataclass(frozen=True, slots=True)
class Renewal:
    """NEW_BROKER: a database gets another broker identifier and loses its conversations."""

    name: str
    instance: str
    database: str
    at: int
    identifier: str


@dataclass(frozen=True, slots=True)
class Erring:
    """ERROR_BROKER_CONVERSATIONS: all conversations of a database end with an error, on both sides."""

    name: str
    instance: str
    database: str
    at: int


@dataclass(frozen=True, slots=True)
class RetentionSwitch:
    """ALTER QUEUE … WITH RETENTION: a queue that kept its messages keeps no further ones, or the reverse."""

    name: str
    instance: str
    database: str
    queue: str
    at: int


@dataclass(frozen=True, slots=True)
class FaultSchedule:
    """All scheduled faults of a world."""

    switches: tuple[QueueOutage, ...]
    poisons: tuple[Poison, ...]
    outages: tuple[BrokerOutage, ...]
    renewals: tuple[Renewal, ...]
    errings: tuple[Erring, ...] = ()
    retentions: tuple[RetentionSwitch, ...] = ()


def fault_interval(chance: Chance, chaos: int, heals: int, longest: int) -> tuple[int, int]:
    """Draw begin and end; the end is at most `heals`, so it may be before the begin (no fault then)."""
    begins = START + chance.below(chaos)
    return begins, min(begins + chance.between(500, longest), heals)


def draw_fault_schedule(
    chance: Chance, estate: Estate, level: FaultLevel, mask: Mask, chaos: int, heals: int, *, keys: bool
) -> FaultSchedule:
    """Draw the faults of a world. `chaos`: milliseconds of the phase with faults.

    Worlds with keys get no new brokers: their keys belong to broker identifiers."""
    switches = _switches(chance.of("switches"), estate, level, chaos, heals)
    poisons = _poisons(chance.of("poisons"), estate, level, chaos, heals)
    outages = _outages(chance.of("outages"), estate, level, chaos, heals)
    renewals = () if keys else _renewals(chance.of("renewals"), estate, level, chaos, heals)
    errings = _errings(chance.of("errings"), estate, level, chaos, heals)
    retentions = _retentions(chance.of("retention switches"), estate, level, chaos, heals)
    return FaultSchedule(
        tuple(one for one in switches if mask.takes(one.name)),
        tuple(one for one in poisons if mask.takes(one.name)),
        tuple(one for one in outages if mask.takes(one.name)),
        tuple(one for one in renewals if mask.takes(one.name)),
        tuple(one for one in errings if mask.takes(one.name)),
        tuple(one for one in retentions if mask.takes(one.name)),
    )


def _queues(estate: Estate) -> list[QueueLocation]:
    return [
        (instance.name, database.name, service.queue)
        for instance in estate.instances.values()
        for database in instance.databases.values()
        for service in database.services
        if service.queue is not None
    ]


def _databases(estate: Estate) -> list[tuple[str, str]]:
    """Return the databases that have a broker and are not mirrored."""
    return [
        (instance.name, database.name)
        for instance in estate.instances.values()
        for database in instance.databases.values()
        if database.broker_instance is not None and database.mirroring_role is None
    ]


def _count(chance: Chance, most: int) -> int:
    return chance.between(1, most) if most and chance.happens(NEWER_FAULT_PERMILLE) else 0


def _switches(chance: Chance, estate: Estate, level: FaultLevel, chaos: int, heals: int) -> Iterable[QueueOutage]:
    queues = _queues(estate)
    for number in range(chance.below(level.switches + 1)):
        where = chance.pick(queues)
        begins, ends = fault_interval(chance, chaos, heals, 60_000)
        if begins < ends:
            yield QueueOutage(f"switch {number}", *where, begins, ends)


def _queues_alone(estate: Estate) -> list[QueueLocation]:
    """Return the queues of databases that are not mirrored."""
    alone = _databases(estate)
    return [queue for queue in _queues(estate) if queue[:2] in alone]


def _poisons(chance: Chance, estate: Estate, level: FaultLevel, chaos: int, heals: int) -> Iterable[Poison]:
    queues = _queues_alone(estate)
    for number in range(_count(chance, level.poisons)):
        where = chance.pick(queues)
        begins, ends = fault_interval(chance, chaos, heals, 60_000)
        if begins < ends:
            yield Poison(f"poison {number}", *where, begins, ends - begins)


def _outages(chance: Chance, estate: Estate, level: FaultLevel, chaos: int, heals: int) -> Iterable[BrokerOutage]:
    databases = _databases(estate)
    for number in range(_count(chance, level.outages)):
        where = chance.pick(databases)
        begins, ends = fault_interval(chance, chaos, heals, 60_000)
        if begins < ends:
            yield BrokerOutage(f"outage {number}", *where, begins, ends)


def _renewals(chance: Chance, estate: Estate, level: FaultLevel, chaos: int, heals: int) -> Iterable[Renewal]:
    databases = _databases(estate)
    for number in range(_count(chance, level.renewals)):
        where = chance.pick(databases)
        at, identifier = START + chance.below(chaos), chance.identifier()
        if at < heals:
            yield Renewal(f"renewal {number}", *where, at, identifier)


def _errings(chance: Chance, estate: Estate, level: FaultLevel, chaos: int, heals: int) -> Iterable[Erring]:
    databases = _databases(estate)
    for number in range(level.errings if chance.happens(ERRING_PERMILLE) else 0):
        where = chance.pick(databases)
        at = START + chance.below(chaos)
        if at < heals:
            yield Erring(f"erring {number}", *where, at)


def _retentions(chance: Chance, estate: Estate, level: FaultLevel, chaos: int, heals: int) -> Iterable[RetentionSwitch]:
    queues = _queues_alone(estate)
    for number in range(_count(chance, level.retentions)):
        where = chance.pick(queues)
        at = START + chance.below(chaos)
        if at < heals:
            yield RetentionSwitch(f"retention {number}", *where, at)
