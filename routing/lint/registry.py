"""The list of all checks, with their codes. A new check is a function of a `LintContext` and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from routing.common.finding import SEVERITIES, Finding
from routing.common.gc_control import gc_paused
from routing.common.sentence import Sentence, say
from routing.lint.activation import no_queue_readers
from routing.lint.addresses import own_address, unknown_address, wrong_port
from routing.lint.brokers import broker_disabled, queue_off
from routing.lint.collected import also_collected, in_catalogue
from routing.lint.context import LintContext
from routing.lint.contracts import no_common_contract
from routing.lint.copies import service_copies
from routing.lint.endpoints import endpoint_stopped, no_endpoint
from routing.lint.failover import replica_endpoint, replica_routes, route_to_replica
from routing.lint.forwarding import forwarding_off
from routing.lint.hops import hop_limit
from routing.lint.identifiers import duplicate_identifier, unknown_identifier
from routing.lint.left_over import left_over
from routing.lint.lifetimes import route_expired, route_expires_soon
from routing.lint.local import dynamic_route_hides_local, no_autocreatedlocal, outside_goes_nowhere
from routing.lint.loops import forwarding_loop
from routing.lint.master_routes import route_in_master
from routing.lint.missing_statements import missing_statements
from routing.lint.msdb_routes import route_in_msdb
from routing.lint.nowhere import leads_nowhere
from routing.lint.returning import no_return_route
from routing.lint.shadowing import identical_routes, shadowed_route
from routing.lint.shapes import (
    mirror_equals_address,
    mirror_without_identifier,
    route_without_name,
    transport_with_name,
)
from routing.lint.spelling import route_name_as_service_name, similar_service_name
from routing.model.estate import Estate


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of finding."""

    code: str
    title: Sentence
    """The title that all its findings share."""
    find: Callable[[LintContext], Iterator[Finding]]


CHECKS = (
    Check("missing-statements", say("Statements of the import are missing"), missing_statements),
    Check("no-return-route", say("Replies do not arrive"), no_return_route),
    Check("forwarding-loop", say("Messages are forwarded in a loop"), forwarding_loop),
    Check(
        "forwarding-off",
        say("Message forwarding is off where it is needed"),
        also_collected("forwarding-off", forwarding_off),
    ),
    Check("route-in-msdb", say("A route of msdb that a database needs"), route_in_msdb),
    Check("route-in-master", say("A route of master, which no message takes"), route_in_master),
    Check("hop-limit", say("A way longer than the hop limit"), hop_limit),
    Check("no-common-contract", say("No contract on which a conversation can begin"), no_common_contract),
    Check("outside-goes-nowhere", say("Messages from outside match no route"), outside_goes_nowhere),
    Check("leads-nowhere", say("A route to where its service is not"), leads_nowhere),
    Check("similar-service-name", say("A service name that only looks right"), similar_service_name),
    Check("route-name-as-service-name", say("A route's name in place of a service's"), route_name_as_service_name),
    Check("unknown-identifier", say("An identifier of no database with the service"), unknown_identifier),
    Check("duplicate-identifier", say("Two databases with one identifier"), duplicate_identifier),
    Check("wrong-port", say("An address with a port where nobody listens"), wrong_port),
    Check("unknown-address", say("An address of no instance"), unknown_address),
    Check("own-address", say("A route from an instance to itself"), own_address),
    Check(
        "broker-disabled",
        say("The broker of a database is disabled"),
        also_collected("broker-disabled", broker_disabled),
    ),
    Check("queue-off", say("A queue is off"), also_collected("queue-off", queue_off)),
    Check("no-queue-readers", say("Activation that starts nothing"), no_queue_readers),
    Check("route-to-replica", say("A route that a failover leaves behind"), route_to_replica),
    Check("replica-endpoint", say("A replica whose endpoint cannot take over"), replica_endpoint),
    Check("replica-routes", say("A replica whose msdb lacks routes"), replica_routes),
    Check("endpoint-stopped", say("The endpoint is not started"), also_collected("endpoint-stopped", endpoint_stopped)),
    Check("no-endpoint", say("No endpoint is known"), also_collected("no-endpoint", no_endpoint)),
    Check("no-route", say("Messages wait: no route"), in_catalogue("no-route")),
    Check("target-not-found", say("Messages wait: the target is not there"), in_catalogue("target-not-found")),
    Check("connection-failed", say("Messages wait: no connection"), in_catalogue("connection-failed")),
    Check(
        "transport-security", say("Messages wait: the servers refuse each other"), in_catalogue("transport-security")
    ),
    Check("dialog-security", say("Messages wait: dialog security lacks something"), in_catalogue("dialog-security")),
    Check("not-enqueued", say("Messages wait: the target cannot take them"), in_catalogue("not-enqueued")),
    Check("not-acknowledged", say("Messages wait: no acknowledgement"), in_catalogue("not-acknowledged")),
    Check("conversation-over", say("Messages that are never sent"), in_catalogue("conversation-over")),
    Check("messages-wait", say("Messages wait for another reason"), in_catalogue("messages-wait")),
    Check("conversation-leak", say("Conversations that nobody ends"), left_over),
    Check("route-expired", say("A route has expired"), route_expired),
    Check("route-expires-soon", say("A route expires soon"), route_expires_soon),
    Check("dynamic-route-hides-local", say("Dynamic routing hides local services"), dynamic_route_hides_local),
    Check("no-autocreatedlocal", say("Local services cannot be reached"), no_autocreatedlocal),
    Check("transport-with-name", say("TRANSPORT beside a service name"), transport_with_name),
    Check("route-without-name", say("An identifier without a service name"), route_without_name),
    Check("mirror-without-identifier", say("A mirror without an identifier"), mirror_without_identifier),
    Check("mirror-equals-address", say("A mirror that is the address"), mirror_equals_address),
    Check("shadowed-route", say("A route that nothing can use"), shadowed_route),
    Check("service-copies", say("Several copies of a service"), service_copies),
    Check("identical-routes", say("Two routes that are the same"), identical_routes),
)
"""In the order in which findings of one severity are listed: those that cost the most messages first."""


def lint(estate: Estate, at: datetime, checks: Iterable[Check] = CHECKS) -> tuple[Finding, ...]:
    """All findings at a time, worst first, then by check, then in the order of the estate."""
    return _worst_first(_found(LintContext(estate, at), checks))


def lint_around(
    estate: Estate, at: datetime, instance: str, database: str | None = None, checks: Iterable[Check] = CHECKS
) -> tuple[Finding, ...]:
    """The findings of `lint` about one instance with its databases, or about one database with its routes and queues;
    in the same order, in a fraction of the time."""
    with gc_paused():
        found = _found(LintContext(estate, at, instance, database), checks)
        return _worst_first(f for f in found if f.instance == instance and database in (None, f.database))


def _found(scene: LintContext, checks: Iterable[Check]) -> Iterator[Finding]:
    for check in checks:
        yield from check.find(scene)


def _worst_first(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))
