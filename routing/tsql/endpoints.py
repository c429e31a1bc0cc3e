"""The effects of statements on the endpoint of an instance, with SQL Server's checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from routing.common.sentence import say
from routing.model.catalog_objects import BrokerEndpoint
from routing.tsql.draft import DraftInstance
from routing.tsql.refusal import already_exists, not_found, not_made, not_understood, refused, unseen
from routing.tsql.servers import PAYLOAD
from routing.tsql.statement import CREATE, DROP, ENDPOINT, Statement

PORTS = range(1024, 32_768)
DEFAULT_ENDPOINT = "ServiceBrokerEndpoint"
"""The name of an exported endpoint; documents do not contain one."""


def apply_to_endpoint(instance: DraftInstance, statement: Statement) -> None:
    """Apply a statement. Raises `NotApplied`, having changed nothing."""
    name = statement.name[0]
    if statement.verb == CREATE:
        _create_endpoint(instance, name, statement.clauses)
    elif statement.clauses.get(PAYLOAD, ...) is None:
        return  # of another kind
    elif not _is_broker_endpoint(instance, name, statement):
        if statement.verb == DROP:
            instance.other_endpoints.discard(name.casefold())
    elif statement.verb == DROP:
        instance.endpoint, instance.endpoint_name, instance.forwarding = None, None, False
    else:
        assert instance.endpoint is not None
        _set_endpoint(instance, statement.clauses, instance.endpoint)


def _is_broker_endpoint(instance: DraftInstance, name: str, statement: Statement) -> bool:
    """True if a statement means the Service Broker endpoint; raises `NotApplied` if the endpoint does not exist."""
    if name.casefold() in instance.other_endpoints:
        return False
    known = instance.endpoint_name or DEFAULT_ENDPOINT
    payload = statement.clauses.get(PAYLOAD)
    # An instance has one endpoint of Service Broker; where its name is not known, the payload tells.
    means_it = known.casefold() == name.casefold() or (payload is not None and instance.endpoint_name is None)
    if instance.endpoint is None:
        raise unseen(statement.verb, not_made(ENDPOINT, name))
    if not means_it:
        raise not_found(ENDPOINT, name)
    return True


def _create_endpoint(instance: DraftInstance, name: str, clauses: Mapping[str, Any]) -> None:
    is_broker = name.casefold() == (instance.endpoint_name or "").casefold()
    if clauses.get(PAYLOAD) is None:
        if PAYLOAD not in clauses:
            raise not_understood(say("FOR is missing"))
        if not is_broker:
            instance.other_endpoints.add(name.casefold())
        return
    if is_broker or name.casefold() in instance.other_endpoints:
        raise already_exists(ENDPOINT, name)
    if instance.endpoint is not None:
        raise refused(7862, say("the instance has an endpoint of Service Broker already"))
    if "LISTENER_PORT" not in clauses.get("AS", {}):
        raise not_understood(say("LISTENER_PORT is missing"))
    _set_endpoint(instance, clauses, BrokerEndpoint(1024, state="STOPPED"))
    instance.endpoint_name = name


def _set_endpoint(instance: DraftInstance, clauses: Mapping[str, Any], before: BrokerEndpoint) -> None:
    options = clauses.get(PAYLOAD) or {}
    port = clauses.get("AS", {}).get("LISTENER_PORT", before.port)
    if port != before.port and port not in PORTS:
        raise refused(5837, say("the port of the endpoint is not {low} to {high}", low=PORTS[0], high=PORTS[-1]))
    size = options.get("MESSAGE_FORWARD_SIZE", before.forward_size)
    if size < 1 and "MESSAGE_FORWARD_SIZE" in options:
        raise refused(5839, say("MESSAGE_FORWARD_SIZE is not more than 0"))
    instance.endpoint = replace(
        before,
        port=port,
        state=clauses.get("STATE", before.state),
        encryption=options.get("ENCRYPTION", before.encryption),
        authentication=options.get("AUTHENTICATION", before.authentication),
        forward_size=size,
    )
    if "MESSAGE_FORWARDING" in options:
        instance.forwarding = options["MESSAGE_FORWARDING"] == "ENABLED"
