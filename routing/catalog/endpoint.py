"""The Service Broker endpoint of an instance, from its row of `sys.service_broker_endpoints`."""

from __future__ import annotations

from typing import Any

from routing.catalog.shapes import Row
from routing.common.errors import Invalid, must_be
from routing.common.sentence import say
from routing.model.catalog_objects import BrokerEndpoint

_WINDOWS = {1: "WINDOWS NTLM", 2: "WINDOWS KERBEROS", 3: "WINDOWS"}
_CERTIFICATE = 4
_ENCRYPTION = ("DISABLED", "REQUIRED", "REQUIRED", "SUPPORTED", "SUPPORTED", "REQUIRED", "REQUIRED", *["SUPPORTED"] * 2)
"""By `encryption_algorithm`: none; RC4, AES; none or one of them; both; none or both."""


def endpoint_from(row: Row) -> BrokerEndpoint:
    """Build the endpoint; raise `Invalid` for values that no estate can hold."""
    if row.get("port") is None:
        raise Invalid("port", say("is missing"))
    found: dict[str, Any] = {"port": row["port"]}
    if row.get("state_desc") is not None:
        found["state"] = row["state_desc"]
    if row.get("message_forwarding_size") is not None:
        found["forward_size"] = row["message_forwarding_size"]
    if row.get("encryption_algorithm") is not None:
        found["encryption"] = _encryption(row["encryption_algorithm"])
    if row.get("connection_auth") is not None:
        found["authentication"] = _authentication(row["connection_auth"], row.get("certificate_name"))
    return BrokerEndpoint(**found)


def forwards(row: Row) -> bool:
    return bool(row.get("is_message_forwarding_enabled"))


def _encryption(algorithm: int) -> str:
    if not 0 <= algorithm < len(_ENCRYPTION):
        raise Invalid("encryption_algorithm", must_be("0-8", algorithm))
    return _ENCRYPTION[algorithm]


def _authentication(number: int, certificate: str | None) -> str:
    """`WINDOWS …`, `CERTIFICATE name`, or both in the order in which SQL Server tries them."""
    by_certificate = "CERTIFICATE" if certificate is None else f"CERTIFICATE {certificate}"
    if number in _WINDOWS:
        return _WINDOWS[number]
    if number == _CERTIFICATE:
        return by_certificate
    if 5 <= number <= 7:
        return f"{_WINDOWS[number - 4]} {by_certificate}"
    if 8 <= number <= 10:
        return f"{by_certificate} {_WINDOWS[number - 7]}"
    raise Invalid("connection_auth", must_be("1-10", number))
