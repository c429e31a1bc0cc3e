"""Messages as rows of their queue: all columns of the product, the body in base64, moments in ISO 8601."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any

from brokerui.estate.numbering import ObjectNumbers, numbers_of
from brokerui.messaging.queue_view import QueueRow
from routing.common.moment import from_milliseconds
from routing.dialog.messages import QueuedMessage
from routing.model.estate import Estate


def queue_rows(estate: Estate, instance: str, messages: Iterable[QueuedMessage]) -> list[dict[str, Any]]:
    """In their order. Numbers are those of this version of the estate."""
    databases = estate.instances[instance].databases
    numbers: dict[str, ObjectNumbers] = {}
    rows = []
    for message in messages:
        if message.database not in numbers:
            numbers[message.database] = numbers_of(databases[message.database])
        rows.append(_row(message, numbers[message.database]))
    return rows


def queue_view_rows(estate: Estate, instance: str, rows: Sequence[QueueRow]) -> list[dict[str, Any]]:
    """Return the columns of the rows of a queue, without bodies, and three columns that are not the product's."""
    shown = queue_rows(estate, instance, (row.message for row in rows))
    for columns, row in zip(shown, rows, strict=True):
        columns["queuing_order"] = row.message.queuing_order or None
        columns |= {"message_bytes": row.message_bytes, "fragments": row.fragments, "all_fragments": row.all_fragments}
    return shown


def _row(message: QueuedMessage, numbers: ObjectNumbers) -> dict[str, Any]:
    body = message.message_body
    return {
        "status": message.status,
        "priority": message.priority,
        "queuing_order": message.queuing_order,
        "conversation_group_id": message.conversation_group_id,
        "conversation_handle": message.conversation_handle,
        "message_sequence_number": message.message_sequence_number,
        "service_name": message.service_name,
        "service_id": numbers.services.get(message.service_name),
        "service_contract_name": message.service_contract_name,
        "service_contract_id": numbers.contracts.get(message.service_contract_name),
        "message_type_name": message.message_type_name,
        "message_type_id": numbers.message_types.get(message.message_type_name),
        "validation": message.validation,
        "message_body": None if body is None else base64.b64encode(body).decode(),
        "message_enqueue_time": from_milliseconds(message.message_enqueue_time).isoformat(),
    }
