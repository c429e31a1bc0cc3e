"""What stuck messages say: every text of the server is kept, with its cause where it is known."""

from __future__ import annotations

import pytest

from tests.brokerui.kinds.conftest import Desk

HEADING = "transmission_status\tto_service_name\tenqueue_time\tconversation_handle\tfrom_service_name\n"
CAUSES = {
    "An exception occurred while enqueueing a message in the target queue. Error: 15404, State: 19.": "not-enqueued",
    "The session keys for this conversation could not be created or accessed. The database master key is required for "
    "this operation.": "dialog-security",
    "This message could not be delivered because the destination queue has been disabled. Queue ID: 123.": "queue-off",
    "Service Broker received an error message on this conversation.": "conversation-over",
    "Connection handshake failed. The login 'D\\x$' does not have CONNECT permission on the endpoint. State 84.": (
        "transport-security"
    ),
    'Fehler beim Verbindungsversuch: "10061(Es konnte keine Verbindung hergestellt werden.)".': "connection-failed",
    "Échec de la tentative de connexion avec l'erreur : '10060(...)'.": "connection-failed",
    "": "not-acknowledged",
    "A text that no catalogue has": "messages-wait",
}


@pytest.mark.parametrize("status", CAUSES)
def test_a_status_has_its_cause(desk: Desk, status: str) -> None:
    answer = desk.grid(HEADING + f"{status}\tShip\t2026-06-01 10:00:00\t00000001-0000-4000-8000-000000000001\tMine\n")
    assert f"warning: {CAUSES[status]} (1)" in answer.err
    assert "1 message to Ship from Mine: " + (f'"{status}"' if status else "no status.") in answer.err


@pytest.mark.parametrize("column", ["state", "state_desc"])
@pytest.mark.parametrize("value", ["DI", "DISCONNECTED_INBOUND", "disconnected_inbound"])
def test_a_state_is_read_in_either_form(desk: Desk, column: str, value: str) -> None:
    answer = desk.grid(
        f"conversation_handle\t{column}\tfar_service\n{'0' * 8}-0000-4000-8000-000000000001\t{value}\tFar\n"
    )
    assert (answer.status, "1 conversation endpoints" in answer.err) == (0, True)
