"""sys.endpoints, sys.tcp_endpoints and sys.service_broker_endpoints: the Service Broker endpoint of each instance.

The estate does not know the endpoints of T-SQL, which every instance has.
"""

from __future__ import annotations

from collections.abc import Iterator

from brokerui.api.catalog_rows import Columns
from brokerui.api.rows import EstateRow, Keeps, Where, instances_of
from brokerui.estate.numbering import FIRST
from routing.model.catalog_objects import BrokerEndpoint
from routing.model.estate import Estate, Instance
from routing.tsql.endpoints import DEFAULT_ENDPOINT

STATES = {"STARTED": 0, "STOPPED": 1, "DISABLED": 2}
WINDOWS = {"NTLM": 1, "KERBEROS": 2, "NEGOTIATE": 3}
CERTIFICATE = 4
AUTHENTICATION = {
    1: "NTLM",
    2: "KERBEROS",
    3: "NEGOTIATE",
    4: "CERTIFICATE",
    5: "NTLM, CERTIFICATE",
    6: "KERBEROS, CERTIFICATE",
    7: "NEGOTIATE, CERTIFICATE",
    8: "CERTIFICATE, NTLM",
    9: "CERTIFICATE, KERBEROS",
    10: "CERTIFICATE, NEGOTIATE",
}
ENCRYPTION = {"DISABLED": (0, "NONE"), "REQUIRED": (2, "AES"), "SUPPORTED": (4, "NONE, AES")}
"""An endpoint for which no algorithm is named uses AES."""


def endpoint_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    """Yield the instances that have an endpoint for Service Broker."""
    for instance in instances_of(estate, where):
        if instance.endpoint is not None and keeps(DEFAULT_ENDPOINT):
            yield EstateRow((instance.name, DEFAULT_ENDPOINT), (instance, instance.endpoint))


def endpoint_columns(instance: Instance, endpoint: BrokerEndpoint) -> Columns:
    return {
        "instance": instance.name,
        "name": DEFAULT_ENDPOINT,
        "endpoint_id": FIRST,
        "principal_id": None,
        "protocol": 2,
        "protocol_desc": "TCP",
        "type": 3,
        "type_desc": "SERVICE_BROKER",
        "state": STATES[endpoint.state],
        "state_desc": endpoint.state,
        "is_admin_endpoint": False,
    }


def tcp_endpoint_columns(instance: Instance, endpoint: BrokerEndpoint) -> Columns:
    columns = endpoint_columns(instance, endpoint)
    return {**columns, "port": endpoint.port, "is_dynamic_port": False, "ip_address": None}


def broker_endpoint_columns(instance: Instance, endpoint: BrokerEndpoint) -> Columns:
    authentication = connection_auth(endpoint.authentication)
    algorithm, algorithm_name = ENCRYPTION[endpoint.encryption]
    return {
        **endpoint_columns(instance, endpoint),
        "is_message_forwarding_enabled": instance.forwarding,
        "message_forwarding_size": endpoint.forward_size,
        "connection_auth": authentication,
        "connection_auth_desc": AUTHENTICATION.get(authentication) if authentication else None,
        "certificate_id": 0 if authentication in WINDOWS.values() else None,
        "encryption_algorithm": algorithm,
        "encryption_algorithm_desc": algorithm_name,
        "port": endpoint.port,
    }


def connection_auth(authentication: str) -> int | None:
    """Return the product's number for `WINDOWS [NTLM|KERBEROS|NEGOTIATE]`, `CERTIFICATE name`, or both in order."""
    words = authentication.split()
    first = words[0].upper() if words else ""
    if first == "CERTIFICATE":
        rest = [word.upper() for word in words[1:]]
        return 7 + _windows(rest[rest.index("WINDOWS") + 1 :]) if "WINDOWS" in rest else CERTIFICATE
    if first != "WINDOWS":
        return None
    rest = [word.upper() for word in words[1:]]
    return _windows(rest) + (CERTIFICATE if "CERTIFICATE" in rest else 0)


def _windows(words: list[str]) -> int:
    return WINDOWS.get(words[0], WINDOWS["NEGOTIATE"]) if words else WINDOWS["NEGOTIATE"]
