"""The settings of the endpoint, as it takes them."""

from __future__ import annotations

from django.conf import settings

from brokerui.messaging.endpoint.options import EndpointOptions
from brokerui.messaging.endpoint.tls import Tls, tls_of
from routing.common.errors import Invalid
from routing.common.sentence import say

REQUIRED = "required"
DISABLED = "disabled"


def tls_from_settings() -> Tls | None:
    """Raises `Invalid`, which names the setting."""
    if settings.ENDPOINT_ENCRYPTION not in {REQUIRED, DISABLED}:
        raise Invalid("ENDPOINT_ENCRYPTION", say("must be required or disabled"))
    files = (settings.ENDPOINT_CERTIFICATE, settings.ENDPOINT_KEY, settings.ENDPOINT_AUTHORITY)
    return tls_of(*files, settings.ENDPOINT_CONNECT)


def options_from_settings() -> EndpointOptions:
    return EndpointOptions(
        connections=settings.ENDPOINT_CONNECTIONS,
        connections_of_peer=settings.ENDPOINT_CONNECTIONS_OF_PEER,
        is_encryption_required=settings.ENDPOINT_ENCRYPTION == REQUIRED,
    )
