"""Names that every database knows, and no contract lists."""

from __future__ import annotations

from typing import Final

DEFAULT: Final = "DEFAULT"
"""The contract and the message type of those who name none; without validation, sent by both."""

_PRODUCT = "http://schemas.microsoft.com/SQL/ServiceBroker/"
END_DIALOG_TYPE: Final = _PRODUCT + "EndDialog"
ERROR_TYPE: Final = _PRODUCT + "Error"
TIMER_TYPE: Final = _PRODUCT + "DialogTimer"

SYSTEM_SERVICE: Final = _PRODUCT + "ServiceBroker"
SYSTEM_QUEUE: Final = "dbo.ServiceBrokerQueue"
"""The service and queue of a database itself. No application receives from it, and none can begin a dialog from it."""
NOTICE_CONTRACT: Final = _PRODUCT + "BrokerConfigurationNotice"
MISSING_ROUTE_TYPE: Final = NOTICE_CONTRACT + "/MissingRoute"
"""What is said to the dynamic routing service (MATCH-4), by the initiator."""

SYSTEM_TYPES: Final = frozenset((END_DIALOG_TYPE, ERROR_TYPE, TIMER_TYPE))
"""An application receives them whatever its contract says, and sends none of them itself."""
