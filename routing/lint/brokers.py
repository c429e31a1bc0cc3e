"""Checks of databases and queues that are switched off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.names import MSDB
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.facts import own_services
from routing.lint.linted_objects import HostedDatabase, database_finding, few
from routing.lint.remedy import alter_database, alter_queue_on, new_broker, use
from routing.model.estate import MIRROR, Database
from routing.model.route import AUTO_CREATED_LOCAL


def queue_off(scene: LintContext) -> Iterator[Finding]:
    """A disabled queue: messages for its services wait in a transmission queue (NET-2).

    An error if a service uses the queue, a warning if it is unknown which queue a service of the database uses, else
    information. SQL Server disables a queue after five rollbacks of a receiving transaction.
    """
    for instance, database in scene.originals:
        off = [queue.name for queue in database.queues if not queue.enabled]
        users = _users(database) if off else {}
        for queue in off:
            services = users.get(queue.lower(), [])
            if services:
                severity = ERROR
                reason = say("The queue is off: messages for {services} wait.", services=tuple(services))
            elif any(service.queue is None for service in database.user_services):
                severity, reason = WARNING, say("The queue is off: messages for its services wait.")
            else:
                severity, reason = INFO, say("The queue is off; no service uses it.")
            remedy = use(database.name, (alter_queue_on(queue),))
            yield Finding("queue-off", severity, instance.name, database.name, queue, reason, remedy_sql=remedy)


def _users(database: Database) -> Mapping[str, list[str]]:
    """By queue in lower case, because names of queues compare without case: the services that use it."""
    found: dict[str, list[str]] = defaultdict(list)
    for service in database.services:
        if service.queue is not None:
            found[service.queue.lower()].append(service.name)
    return found


def broker_disabled(scene: LintContext) -> Iterator[Finding]:
    """A database with services of its own, or msdb, with its broker disabled: it is no target (LOC), and sends nothing.
    With the broker of msdb disabled, the instance routes nothing over the network.

    A warning if every service of it has another target on the instance (a restored copy, for example), and for msdb if
    no live route leads to the instance or away from it; a warning too where no service is known, but routes, queues,
    contracts or a route to its identifier show that the database is used; no finding for a database in the role MIRROR,
    whose broker follows its principal's.
    """
    for held in scene.databases:
        database = held.database
        if database.broker_enabled or database.mirroring_role == MIRROR:
            continue
        services = own_services(database)
        if database.name == MSDB:
            reason = say("Its broker is disabled: the instance routes no message over the network.")
            severity = ERROR if scene.on_the_network(held.instance) else WARNING
            yield database_finding("broker-disabled", severity, held, reason, _enable(held))
        elif services:
            elsewhere = all(service in held.instance.targets for service in services)
            reason = say("Its broker is disabled: it takes no messages for {services}.", services=few(services))
            yield database_finding("broker-disabled", WARNING if elsewhere else ERROR, held, reason, _enable(held))
        elif _is_meant_for_messages(scene, database):
            reason = say("Its broker is disabled; which services it has is not known. It takes and sends no message.")
            yield database_finding("broker-disabled", WARNING, held, reason, _enable(held))


def _is_meant_for_messages(scene: LintContext, database: Database) -> bool:
    """True if other rows of a database without known services show that an application uses its broker."""
    own_routes = any(name != AUTO_CREATED_LOCAL.name for name in database.table.routes)
    if own_routes or database.queues or database.contracts or database.remote_service_bindings:
        return True
    return database.broker_instance in scene.routed_identifiers


def _enable(held: HostedDatabase) -> str:
    """The remedy: ENABLE_BROKER, or NEW_BROKER if an enabled database of the instance has the identifier already
    (9772)."""
    identifier = held.database.broker_instance
    taken = identifier is not None and held.instance.identified[identifier] is not held.database
    return new_broker(held.database.name) if taken else alter_database(held.database.name, "ENABLE_BROKER")
