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
"""In the order of message_type_id, from 1."""


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
"""In the order of service_contract_id, from 1."""

SHIPPED_SERVICES: Final = (
    Service(QUERY_NOTIFICATION_SERVICE, "dbo.QueryNotificationErrorsQueue"),
    Service(EVENT_NOTIFICATION_SERVICE, "dbo.EventNotificationErrorsQueue"),
    Service(SYSTEM_SERVICES[0], "dbo.ServiceBrokerQueue", (_ECHO, _DIAGNOSTIC)),
)
"""In the order of service_id, from 1."""

SHIPPED_QUEUES: Final = {
    "dbo.QueryNotificationErrorsQueue": 1_977_058_079,
    "dbo.EventNotificationErrorsQueue": 2_009_058_193,
    "dbo.ServiceBrokerQueue": 2_041_058_307,
}
"""object_id by name: the same in every database."""
_SERVICES = {service.name: service for service in SHIPPED_SERVICES}


def system_service(name: str) -> Service | None:
    """Return the service of this name with its queue and contracts, if SQL Server itself creates it."""
    return _SERVICES.get(name)
