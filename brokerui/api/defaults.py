"""Settings of the REST interface, for `brokerui.settings`."""

from typing import Any

import environ
from django.utils.translation import gettext_lazy as _

env = environ.Env()

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "brokerui.api.access.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["brokerui.api.access.MayUse"],
    "DEFAULT_PARSER_CLASSES": ["brokerui.api.parsers.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_THROTTLE_CLASSES": ["brokerui.api.access.StrangerThrottle", "brokerui.api.access.UserThrottle"],
    # Requests of an address without a valid session or token, and of a user.
    "DEFAULT_THROTTLE_RATES": {
        "anon": env.str("API_RATE_STRANGER", default="60/min"),
        "user": env.str("API_RATE_USER", default="1200/min"),
    },
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "brokerui.api.problems.handle",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "BrokerUI",
    "VERSION": "1",
    "DESCRIPTION": _(
        "The estate as data: instances, databases, services, queues and routes; its versions; what the product's "
        "catalog views would show; and where a conversation goes, with every rule."
    ),
    "OAS_VERSION": "3.1.0",
    # As in the list of addresses.
    "SORT_OPERATIONS": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "ChangeStateEnum": [
            *("draft", "submitted", "approved", "rejected"),
            *("applied", "confirmed", "rolled_back", "discarded"),
        ],
        "AlertKindEnum": [
            *("dropped", "delayed", "age", "depth", "disagreement"),
            *("expiry", "mirror", "job", "leak", "stale", "certificate"),
        ],
        "AlertChannelKindEnum": ["email", "webhook", "messenger"],
        "AlertSeverityEnum": ["error", "warning", "info"],
        "ExpiryOutcomeEnum": ["dropped", "delayed", "exits", "delivered"],
        "BulkResultEnum": ["done", "refused", "would_be_done", "would_be_refused"],
        "EndResultEnum": ["ended", "refused", "would_end", "would_be_refused"],
        "FailOverResultEnum": ["done", "would_be_done"],
        "ServerStateEnum": ["planned", "live", "to be run", "seen", "differs"],
    },
    "SERVERS": [{"url": "/"}],
}
