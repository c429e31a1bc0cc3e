"""System checks of the endpoint's settings, each with its remedy."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's names
from django.db import DatabaseError

from brokerui.messaging.endpoint.endpoint_settings import REQUIRED, tls_from_settings
from brokerui.messaging.endpoint.hosted_instances import hosted
from routing.common.errors import Invalid


def tls_can_be_used(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E003: `brokerui endpoint` would not start."""
    try:
        tls_from_settings()
    except Invalid as fault:
        return [Error(f"{fault}.", hint="See docs/how-to/endpoints.md.", id="brokerui.E003")]
    return []


def key_is_private(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W005: a reader of the key can pose as this instance."""
    path = Path(settings.ENDPOINT_KEY)
    if not settings.ENDPOINT_KEY or not path.exists() or not stat.S_IMODE(path.stat().st_mode) & 0o077:
        return []
    return [Warning(f"Other users than its owner can read {path}.", hint=f"chmod 600 {path}", id="brokerui.W005")]


def addresses_are_encrypted(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E004: `brokerui endpoint` does not listen there. Only asked where the database may be (`check --database`)."""
    if not kwargs.get("databases") or settings.ENDPOINT_CERTIFICATE or settings.ENDPOINT_ENCRYPTION != REQUIRED:
        return []
    try:
        addresses = [address for own in hosted().values() for address in own]
    except DatabaseError:
        return []  # not migrated yet
    return [
        Error(
            f"An instance that is hosted here listens on {address}, and instances would speak without encryption.",
            hint="Set ENDPOINT_CERTIFICATE, ENDPOINT_KEY and ENDPOINT_AUTHORITY, or ENDPOINT_ENCRYPTION=disabled.",
            id="brokerui.E004",
        )
        for address in addresses
        if not _is_of_this_machine(address)
    ]


def _is_of_this_machine(address: str) -> bool:
    """By what stands there: a check asks no name server."""
    host = address.removeprefix("tcp://").rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
