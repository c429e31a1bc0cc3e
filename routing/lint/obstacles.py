"""What is known to stand in the way of a conversation that routing delivers: endpoints, queues, contracts."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.sentence import Sentence, say
from routing.lint.context import HostedDatabase
from routing.lint.contracts import contract_problem
from routing.model.catalog_objects import Service
from routing.model.estate import Database, Estate, Instance
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.explanation import Explanation
from routing.rules.journey_account import Journey

STARTED = "STARTED"


def obstacles(explanation: Explanation, estate: Estate) -> tuple[Sentence, ...]:
    """Say what holds messages although the routes lead on: each obstacle once, in the order of the way.

    Routing does not ask for the state of an endpoint or a queue, nor for contracts, so the outcomes stay as they are.
    """
    found = list(_endpoints(explanation, estate))
    for end in explanation.forward.outcomes:
        if end.kind == DELIVERED:
            found += _at_target(explanation, estate, end)
    return tuple(found)


def _endpoints(explanation: Explanation, estate: Estate) -> Iterator[Sentence]:
    """Endpoints on the way and on the way back that are known not to be started."""
    journeys = (explanation.forward, *(back.journey for back in explanation.returns))
    for name in dict.fromkeys(name for journey in journeys for name in _on_the_network(journey)):
        endpoint = estate.instances[name].endpoint
        if endpoint is not None and endpoint.state != STARTED:
            yield say(
                "…but the Service Broker endpoint of {instance} is {state}: nothing goes over the network there, and "
                "messages wait in the transmission queue of their sender.",
                instance=name,
                state=endpoint.state,
            )


def _on_the_network(journey: Journey) -> Iterator[str]:
    for end in journey.ends:
        for leg in end.legs:
            if leg.send.to != leg.instance:
                yield leg.instance
                if leg.send.to is not None:
                    yield leg.send.to


def _at_target(explanation: Explanation, estate: Estate, end: Outcome) -> Iterator[Sentence]:
    instance = estate.instances[end.instance]
    database = instance.databases[end.detail]
    name = explanation.forward.conversation.to_service
    service = next((one for one in database.services if one.name == name), None)
    if service is not None:
        yield from _queue_off(instance, database, service)
        yield from _contract(explanation, estate, database, service)


def _queue_off(instance: Instance, database: Database, service: Service) -> Iterator[Sentence]:
    """NET-2: a queue that is off takes nothing."""
    used = (service.queue or "").lower()
    if any(queue.name.lower() == used and not queue.enabled for queue in database.queues):
        yield say(
            "…but the queue {queue} of {database} on {instance} is off: messages wait in the transmission queue of "
            "{database} until it is on.",
            queue=service.queue,
            database=database.name,
            instance=instance.name,
        )


def _contract(explanation: Explanation, estate: Estate, target: Database, service: Service) -> Iterator[Sentence]:
    origin, conversation = explanation.origin, explanation.forward.conversation
    if origin is None or conversation.is_reply or origin is target:
        return
    problem = contract_problem(HostedDatabase(estate.instances[conversation.instance], origin), target, service)
    if problem is not None:
        yield say("…but no conversation can begin. {service}: {problem}", service=service.name, problem=problem)
