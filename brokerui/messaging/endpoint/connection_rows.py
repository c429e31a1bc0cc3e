"""Connections as rows of sys.dm_broker_connections."""

from __future__ import annotations

from datetime import UTC, datetime

from brokerui.messaging.endpoint.wire import Wire
from brokerui.messaging.exchange.messages import ConnectionRow
from routing.common.identifier import identifier_of

NONE = 0
AES = 2
DESCRIPTIONS = {NONE: "NONE", AES: "AES"}
"""encryption_algorithm; of TLS the product knows no others."""


def row_of(wire: Wire, epoch: float) -> ConnectionRow:
    """`epoch` is when the clock of the endpoint was 0, in seconds since 1970."""

    def at(clock_ms: int) -> str:
        return datetime.fromtimestamp(epoch + clock_ms / 1000, UTC).isoformat(timespec="milliseconds")

    connection = wire.connection
    shown, peer = connection.shown, connection.peer
    encryption = NONE if wire.names is None else AES
    return ConnectionRow(
        connection_id=wire.id,
        transport_stream_id=identifier_of(wire.stream_id),
        state=shown.state,
        state_desc=shown.state_desc,
        connect_time=at(connection.began_at_ms),
        login_time=None if connection.login_at_ms is None else at(connection.login_at_ms),
        authentication_method="" if wire.names is None else "CERTIFICATE",
        principal_name=wire.names[0] if wire.names else "",
        remote_user_name=wire.names[0] if wire.names else "",
        last_activity_time=at(connection.active_at_ms),
        is_accept=wire.is_accept,
        login_state=shown.login_state,
        login_state_desc=shown.login_state_desc,
        peer_certificate_id=None,
        encryption_algorithm=encryption,
        encryption_algorithm_desc=DESCRIPTIONS[encryption],
        receives_posted=int(not wire.is_paused),
        is_receive_flow_controlled=wire.is_paused,
        sends_posted=int(wire.is_full),
        is_send_flow_controlled=wire.is_full or connection.is_send_flow_controlled,
        total_bytes_sent=connection.bytes_sent,
        total_bytes_received=connection.bytes_received,
        total_fragments_sent=connection.fragments_sent,
        total_fragments_received=connection.fragments_received,
        total_sends=connection.sends,
        total_receives=connection.receives,
        peer_arbitration_id=identifier_of(peer.instance_id) if peer else None,
        instance=wire.host.name,
        address=wire.address,
        peer=peer.name if peer else "",
    )
