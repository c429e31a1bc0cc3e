"""Messages that a change holds or releases although routing asks nothing of it: queues, and brokers of senders.

Routing delivers to a queue that is off, and from a database whose broker is disabled (NET-2, 9791): the outcomes stay,
and the messages wait. So the effect of a change names these kinds of conversation beside its outcomes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from routing.classes.class_evaluator import ClassEvaluator
from routing.classes.reachability import entry_points
from routing.classes.traffic_class import Node, TrafficClass
from routing.common.sentence import Sentence, say, say_counted
from routing.lint.obstacles import queue_off
from routing.model.estate import Database, Estate
from routing.rules.decision import DELIVERED, Outcome

COUNTED = 50
"""Services whose conversations are counted; a change that switches more of their queues names the first."""


@dataclass(frozen=True, slots=True)
class HeldChange:
    """Messages that wait from a change on, or that it releases."""

    says: Sentence
    is_held: bool
    """False: the change releases them."""


@dataclass(frozen=True, slots=True)
class _Target:
    instance: str
    database: Database
    service: str
    queue: str
    is_off: bool


def held_changes(before: Estate, after: Estate, at: datetime) -> tuple[HeldChange, ...]:
    """Return what a change holds, then what it releases; what both estates hold is neither."""
    found = [*_brokers(before, after), *_queues(before, after, at)]
    return tuple(sorted(found, key=lambda one: not one.is_held))


def _both(before: Estate, after: Estate) -> Iterator[tuple[str, Database, Database]]:
    """Yield the databases that both estates have and that differ."""
    for name, instance in after.instances.items():
        old = before.instances.get(name)
        if old is not None and old is not instance:
            for database in instance.databases.values():
                was = old.databases.get(database.name)
                if was is not None and was is not database:
                    yield name, was, database


def _brokers(before: Estate, after: Estate) -> Iterator[HeldChange]:
    for instance, was, database in _both(before, after):
        place = {"database": database.name, "instance": instance}
        if was.broker_enabled and not database.broker_enabled:
            says = say(
                "The broker of {database} on {instance} is disabled then: messages of conversations that begin there "
                "wait in its transmission queue.",
                **place,
            )
            yield HeldChange(says, is_held=True)
        elif database.broker_enabled and not was.broker_enabled:
            says = say(
                "The broker of {database} on {instance} is enabled then: messages that wait in its transmission queue "
                "are sent.",
                **place,
            )
            yield HeldChange(says, is_held=False)


def _queues(before: Estate, after: Estate, at: datetime) -> Iterator[HeldChange]:
    nodes = tuple(entry_points(after))
    for target in list(_switched(before, after))[:COUNTED]:
        arriving = _arriving(after, nodes, target, at)
        if arriving:
            yield HeldChange(_queue_says(target, arriving), is_held=target.is_off)


def _switched(before: Estate, after: Estate) -> Iterator[_Target]:
    """Yield the services of both estates whose queue is on in only one of them."""
    for instance, was, database in _both(before, after):
        old = {service.name: queue_off(was, service) for service in was.services}
        for service in database.services:
            off = queue_off(database, service)
            if service.name in old and (off is None) != (old[service.name] is None):
                queue = off or old[service.name]
                assert queue is not None
                yield _Target(instance, database, service.name, queue.name, off is not None)


def _arriving(estate: Estate, nodes: tuple[Node, ...], target: _Target, at: datetime) -> list[Node]:
    """Return the entry points whose conversations may arrive; where there are none, those whose answers may."""
    identifiers = {None, target.database.broker_instance}
    begun = [TrafficClass(target.service, one, False) for one in identifiers]
    answers = [TrafficClass(target.service, one, True) for one in identifiers]
    return _delivering(estate, nodes, target, begun, at) or _delivering(estate, nodes, target, answers, at)


def _delivering(
    estate: Estate, nodes: tuple[Node, ...], target: _Target, traffics: list[TrafficClass], at: datetime
) -> list[Node]:
    end = Outcome(DELIVERED, target.instance, target.database.name)
    evaluators = [ClassEvaluator(estate, traffic, at) for traffic in traffics]
    return [node for node in nodes if any(end in one.ends(one.start(node)) for one in evaluators)]


def _queue_says(target: _Target, arriving: list[Node]) -> Sentence:
    place = {
        "queue": target.queue,
        "database": target.database.name,
        "instance": target.instance,
        "service": target.service,
        "first": node_in_words(arriving[0]),
    }
    if target.is_off:
        return say_counted(
            len(arriving),
            "The queue {queue} of {database} on {instance} is off then: messages to {service} from {count} entry point "
            "({first}) still arrive, and wait in the transmission queue of {database} until it is on.",
            "The queue {queue} of {database} on {instance} is off then: messages to {service} from {count} entry "
            "points (first {first}) still arrive, and wait in the transmission queue of {database} until it is on.",
            **place,
        )
    return say_counted(
        len(arriving),
        "The queue {queue} of {database} on {instance} is on then: it takes messages to {service} from {count} entry "
        "point ({first}), also those that wait.",
        "The queue {queue} of {database} on {instance} is on then: it takes messages to {service} from {count} entry "
        "points (first {first}), also those that wait.",
        **place,
    )


def node_in_words(node: Node) -> Sentence:
    """Return an entry point by name."""
    instance, database = node
    if database is None:
        return say("from outside to {instance}", instance=instance)
    return say("{database} on {instance}", database=database, instance=instance)
