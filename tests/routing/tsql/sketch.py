"""An estate and findings as short lines, for tests to compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from routing.common.finding import Finding
from routing.common.moment import format_moment
from routing.model.catalog_objects import (
    BrokerEndpoint,
    Contract,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.tsql.draft import AUTO_CREATED_LOCAL, SYSTEM_DATABASES

HOME = "h"
"""The instance whose name is left out."""


def sketch(estate: Estate) -> list[str]:
    """A line for each thing that a script made; msdb as every instance has it is left out."""
    return [line for instance in estate.instances.values() for line in _instance(instance)]


def _instance(instance: Instance) -> Iterator[str]:
    where = "" if instance.name == HOME else f"{instance.name} "
    addresses = " ".join(address.text for address in instance.addresses)
    if addresses != f"tcp://{instance.name}:4022":
        yield f"{where}at {addresses or 'no address'}"
    if instance.endpoint:
        yield where + _endpoint(instance.endpoint, forwarding=instance.forwarding)
    for database in instance.databases.values():
        lines = list(_database(database))
        if lines or database.name not in SYSTEM_DATABASES or database.name == "master":
            yield from (f"{where}{line}" for line in (database.name, *(f"{database.name}: {line}" for line in lines)))


def _endpoint(endpoint: BrokerEndpoint, *, forwarding: bool) -> str:
    words = [endpoint.port, endpoint.state, endpoint.authentication, endpoint.encryption]
    return " ".join(["endpoint", *map(str, words), *(["forwarding", str(endpoint.forward_size)] if forwarding else [])])


def _database(database: Database) -> Iterator[str]:
    if not database.broker_enabled:
        yield "disabled"
    if database.broker_instance:
        yield f"identifier {database.broker_instance}"
    if database.mirroring_role:
        yield database.mirroring_role.lower()
    yield from map(_message_type, database.message_types)
    yield from map(_contract, database.contracts)
    yield from map(_queue, database.queues)
    yield from map(_service, database.user_services)
    yield from map(_priority, database.priorities)
    yield from map(_binding, database.remote_service_bindings)
    routes = database.table.routes
    if AUTO_CREATED_LOCAL not in routes.values() and database.name not in ("master", "tempdb"):
        yield "no AutoCreatedLocal"
    yield from (_route(route) for route in routes.values() if route != AUTO_CREATED_LOCAL)


def _message_type(one: MessageType) -> str:
    return f"type {one.name} {one.validation}" + (f" {one.schema_collection}" if one.schema_collection else "")


def _contract(one: Contract) -> str:
    return f"contract {one.name} (" + ", ".join(f"{m.message_type} {m.sent_by}" for m in one.messages) + ")"


def _queue(one: Queue) -> str:
    words = [] if one.enabled else ["off"]
    words += ["retention"] if one.retention else []
    words += [] if one.poison_handling else ["no-poison"]
    if one.activation:
        words += [one.activation.procedure, str(one.activation.max_readers), "on" if one.activation.enabled else "off"]
    return " ".join(["queue", one.name, *words])


def _service(one: Service) -> str:
    return f"service {one.name} on {one.queue}" + (f" ({', '.join(one.contracts)})" if one.contracts else "")


def _priority(one: Priority) -> str:
    names = (name or "ANY" for name in (one.contract_name, one.local_service_name, one.remote_service_name))
    return f"priority {one.name} {' '.join(names)} {one.priority_level}"


def _binding(one: RemoteServiceBinding) -> str:
    return f"binding {one.name} {one.remote_service_name} {one.user}" + (" anonymous" if one.anonymous else "")


def _route(one: Route) -> str:
    words = [f"route {one.name}: {one.remote_service_name or '*'}"]
    words += [one.broker_instance] if one.broker_instance else []
    words += [f"until {format_moment(one.lifetime)}"] if one.lifetime else []
    words += [f"-> {one.address.text}"] + ([f"| {one.mirror_address.text}"] if one.mirror_address else [])
    return " ".join(words)


def lines_of(findings: Iterable[Finding]) -> list[str]:
    """`severity code line object [number]`; remarks that nothing was lost by are among them."""
    return [_told(finding) for finding in findings]


def _told(finding: Finding) -> str:
    problem = finding.reason.values.get("problem")
    number = getattr(problem, "values", {}).get("number", "")
    return " ".join(map(str, filter(None, (finding.severity, finding.code, finding.line, finding.object, number))))
