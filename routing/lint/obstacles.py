"""Obstacles to a conversation that routing delivers: brokers, endpoints, queues, contracts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from routing.common.sentence import Sentence, say
from routing.lint.contracts import contract_problem
from routing.lint.linted_objects import HostedDatabase
from routing.lint.remedy import alter_database, alter_endpoint, alter_queue_on, use
from routing.model.catalog_objects import BrokerEndpoint, Queue, Service
from routing.model.estate import Database, Estate, Instance
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.explanation import Explanation
from routing.rules.journey_account import Journey

STARTED = "STARTED"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle of messages although the routes lead on, and the T-SQL that removes it."""

    says: Sentence
    instance: str
    """On which the T-SQL is to run."""
    sql: str | None = None


def obstacles(explanation: Explanation, estate: Estate) -> tuple[Obstacle, ...]:
    """Tell what holds messages although the routes lead on: each obstacle once, in the order of the way.

    Routing does not ask for the broker of the sender, the state of an endpoint or a queue, nor for contracts, so the
    outcomes stay as they are.
    """
    found = [*_sender(explanation), *_endpoints(explanation, estate)]
    for end in explanation.forward.outcomes:
        if end.kind == DELIVERED:
            found += _at_target(explanation, estate, end)
    return tuple(found)


def _sender(explanation: Explanation) -> Iterator[Obstacle]:
    """A database whose broker is disabled sends nothing (9791)."""
    origin, instance = explanation.origin, explanation.forward.conversation.instance
    if origin is not None and not origin.broker_enabled:
        says = say(
            "…but the broker of {database} on {instance} is disabled: messages wait in its transmission queue until it "
            "is enabled.",
            database=origin.name,
            instance=instance,
        )
        yield Obstacle(says, instance, alter_database(origin.name, "ENABLE_BROKER"))


def _endpoints(explanation: Explanation, estate: Estate) -> Iterator[Obstacle]:
    """Endpoints on the way and on the way back that are known not to be started."""
    for name, endpoint in stopped_endpoints(explanation, estate):
        says = say(
            "…but the Service Broker endpoint of {instance} is {state}: nothing goes over the network there, and "
            "messages wait in the transmission queue of their sender.",
            instance=name,
            state=endpoint.state,
        )
        yield Obstacle(says, name, alter_endpoint("STATE = STARTED"))


def stopped_endpoints(explanation: Explanation, estate: Estate) -> Iterator[tuple[str, BrokerEndpoint]]:
    """The instances on the way and on the way back whose endpoint is known not to be started."""
    journeys = (explanation.forward, *(back.journey for back in explanation.returns))
    for name in dict.fromkeys(name for journey in journeys for name in _on_the_network(journey)):
        endpoint = estate.instances[name].endpoint
        if endpoint is not None and endpoint.state != STARTED:
            yield name, endpoint


def _on_the_network(journey: Journey) -> Iterator[str]:
    for end in journey.ends:
        for leg in end.legs:
            if leg.send.to != leg.instance:
                yield leg.instance
                if leg.send.to is not None:
                    yield leg.send.to


def _at_target(explanation: Explanation, estate: Estate, end: Outcome) -> Iterator[Obstacle]:
    instance = estate.instances[end.instance]
    database = instance.databases[end.detail]
    name = explanation.forward.conversation.to_service
    service = next((one for one in database.services if one.name == name), None)
    if service is not None:
        yield from _queue_off(instance, database, service)
        for problem in _contract(explanation, estate, HostedDatabase(instance, database), service):
            says = say("…but no conversation can begin. {service}: {problem}", service=service.name, problem=problem)
            yield Obstacle(says, instance.name)


def contract_obstacles(explanation: Explanation, estate: Estate) -> Iterator[Sentence]:
    """The problems for which targets of a conversation refuse its contract or its messages."""
    for end in explanation.forward.outcomes:
        if end.kind == DELIVERED:
            instance = estate.instances[end.instance]
            database, name = instance.databases[end.detail], explanation.forward.conversation.to_service
            target = HostedDatabase(instance, database)
            for service in (one for one in database.services if one.name == name):
                yield from _contract(explanation, estate, target, service)


def _queue_off(instance: Instance, database: Database, service: Service) -> Iterator[Obstacle]:
    """NET-2: a queue that is off takes nothing."""
    queue = queue_off(database, service)
    if queue is not None:
        says = say(
            "…but the queue {queue} of {database} on {instance} is off: messages wait in the transmission queue of "
            "{database} until it is on.",
            queue=service.queue,
            database=database.name,
            instance=instance.name,
        )
        yield Obstacle(says, instance.name, use(database.name, (alter_queue_on(queue.name),)))


def queue_off(database: Database, service: Service) -> Queue | None:
    """Return the queue of a service where it is off; names of queues compare without case."""
    used = (service.queue or "").lower()
    return next((queue for queue in database.queues if queue.name.lower() == used and not queue.enabled), None)


def _contract(explanation: Explanation, estate: Estate, target: HostedDatabase, service: Service) -> Iterator[Sentence]:
    origin, conversation = explanation.origin, explanation.forward.conversation
    if origin is None or conversation.is_reply or origin is target.database:
        return
    sender = HostedDatabase(estate.instances[conversation.instance], origin)
    problem = contract_problem(sender, target.database, service)
    if problem is not None:
        yield problem
