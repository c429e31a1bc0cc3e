"""The message types, contracts, services and queues that SQL Server itself creates in every database."""

from __future__ import annotations

from typing import Final

from routing.common.names import EVENT_NOTIFICATION_SERVICE, QUERY_NOTIFICATION_SERVICE, SYSTEM_PREFIX, SYSTEM_SERVICES
from routing.model.catalog_objects import Contract, ContractMessage, MessageType, Service

_BROKER = f"{SYSTEM_PREFIX}ServiceBroker/"
_NOTIFICATIONS = f"{SYSTEM_PREFIX}Notifications/"
_NOTICE = f"{_BROKER}BrokerConfigurationNotice"
_ECHO = f"{_BROKER}ServiceEcho"
_DIAGNOSTIC = f"{_BROKER}ServiceDiagnostic"
_DEFAULT = "DEFAULT"
_XML = "WELL_FORMED_XML"

SHIPPED_MESSAGE_TYPES: Final = (
    MessageType(f"{_BROKER}Error", _XML),
    MessageType(f"{_BROKER}EndDialog", "EMPTY"),
    MessageType(f"{_NOTIFICATIONS}QueryNotification", _XML),
    MessageType(f"{_NOTIFICATIONS}EventNotification", _XML),
    MessageType(f"{_BROKER}DialogTimer", "EMPTY"),
    MessageType(f"{_NOTICE}/MissingRoute", _XML),
    MessageType(f"{_NOTICE}/FailedRoute", _XML),
    MessageType(f"{_NOTICE}/MissingRemoteServiceBinding", _XML),
    MessageType(f"{_NOTICE}/FailedRemoteServiceBinding", _XML),
    MessageType(f"{_ECHO}/Echo"),
    MessageType(f"{_DIAGNOSTIC}/Query", _XML),
    MessageType(f"{_DIAGNOSTIC}/Status", _XML),
    MessageType(f"{_DIAGNOSTIC}/Description"),
    MessageType(_DEFAULT),
)
"""Each with its number in `MESSAGE_TYPE_IDS`."""


def _contract(name: str, **sent_by: str) -> Contract:
    return Contract(name, tuple(ContractMessage(message_type, by) for message_type, by in sent_by.items()))


SHIPPED_CONTRACTS: Final = (
    _contract(f"{_NOTIFICATIONS}PostQueryNotification", **{f"{_NOTIFICATIONS}QueryNotification": "INITIATOR"}),
    _contract(f"{_NOTIFICATIONS}PostEventNotification", **{f"{_NOTIFICATIONS}EventNotification": "INITIATOR"}),
    _contract(
        _NOTICE, **{one.name: "INITIATOR" for one in SHIPPED_MESSAGE_TYPES if one.name.startswith(f"{_NOTICE}/")}
    ),
    _contract(_ECHO, **{f"{_ECHO}/Echo": "ANY"}),
    _contract(
        _DIAGNOSTIC,
        **{
            f"{_DIAGNOSTIC}/Query": "INITIATOR",
            f"{_DIAGNOSTIC}/Status": "TARGET",
            f"{_DIAGNOSTIC}/Description": "TARGET",
        },
    ),
    _contract(_DEFAULT, **{_DEFAULT: "ANY"}),
)
"""Each with its number in `CONTRACT_IDS`."""

SHIPPED_SERVICES: Final = (
    Service(QUERY_NOTIFICATION_SERVICE, "dbo.QueryNotificationErrorsQueue"),
    Service(EVENT_NOTIFICATION_SERVICE, "dbo.EventNotificationErrorsQueue"),
    Service(SYSTEM_SERVICES[0], "dbo.ServiceBrokerQueue", (_ECHO, _DIAGNOSTIC)),
)
"""Each with its number in `SERVICE_IDS`."""

SHIPPED_QUEUES: Final = {
    "dbo.QueryNotificationErrorsQueue": 1_977_058_079,
    "dbo.EventNotificationErrorsQueue": 2_009_058_193,
    "dbo.ServiceBrokerQueue": 2_041_058_307,
}
"""object_id by name: the same in every database."""
SERVICE_IDS: Final = {QUERY_NOTIFICATION_SERVICE: 1, EVENT_NOTIFICATION_SERVICE: 2, SYSTEM_SERVICES[0]: 3}
"""service_id by name: the same in every database, as those of contracts and message types are."""
CONTRACT_IDS: Final = {
    f"{_NOTIFICATIONS}PostQueryNotification": 1,
    f"{_NOTIFICATIONS}PostEventNotification": 2,
    _NOTICE: 3,
    _ECHO: 4,
    _DIAGNOSTIC: 5,
    _DEFAULT: 6,
}
"""service_contract_id by name."""
MESSAGE_TYPE_IDS: Final = {
    f"{_BROKER}Error": 1,
    f"{_BROKER}EndDialog": 2,
    f"{_NOTIFICATIONS}QueryNotification": 3,
    f"{_NOTIFICATIONS}EventNotification": 4,
    f"{_BROKER}DialogTimer": 5,
    f"{_NOTICE}/MissingRoute": 6,
    f"{_NOTICE}/FailedRoute": 7,
    f"{_NOTICE}/MissingRemoteServiceBinding": 8,
    f"{_NOTICE}/FailedRemoteServiceBinding": 9,
    f"{_ECHO}/Echo": 10,
    f"{_DIAGNOSTIC}/Query": 11,
    f"{_DIAGNOSTIC}/Status": 12,
    f"{_DIAGNOSTIC}/Description": 13,
    _DEFAULT: 14,
}
"""message_type_id by name."""
_SERVICES = {service.name: service for service in SHIPPED_SERVICES}


def system_service(name: str) -> Service | None:
    """Return the service of this name with its queue and contracts, if SQL Server itself creates it."""
    return _SERVICES.get(name)
