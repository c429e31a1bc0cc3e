"""Names that exist in every database without being listed in a contract."""

from __future__ import annotations

from typing import Final

DEFAULT: Final = "DEFAULT"
"""The default contract and message type: no validation, sent by both sides."""

_PRODUCT = "http://schemas.microsoft.com/SQL/ServiceBroker/"
END_DIALOG_TYPE: Final = _PRODUCT + "EndDialog"
ERROR_TYPE: Final = _PRODUCT + "Error"
TIMER_TYPE: Final = _PRODUCT + "DialogTimer"

SYSTEM_SERVICE: Final = _PRODUCT + "ServiceBroker"
SYSTEM_QUEUE: Final = "dbo.ServiceBrokerQueue"
"""Service and queue of the database itself. No application can receive from it or begin a dialog from it."""
NOTICE_CONTRACT: Final = _PRODUCT + "BrokerConfigurationNotice"
MISSING_ROUTE_TYPE: Final = NOTICE_CONTRACT + "/MissingRoute"
"""Request to the dynamic routing service, sent by the initiator (MATCH-4)."""

SYSTEM_TYPES: Final = frozenset((END_DIALOG_TYPE, ERROR_TYPE, TIMER_TYPE))
"""System message types: received regardless of the contract, never sent by an application."""
