"""The tables as the store writes them: their columns, and what PostgreSQL calls the kind of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.db import models

from brokerui.messaging.models import (
    ConversationEndpoint,
    ConversationGroup,
    HeldFragment,
    OutgoingMessage,
    QueueMessage,
    RetainedMessage,
    TransmissionObject,
)

_KINDS: Final = {
    models.BigIntegerField: "int8",
    models.IntegerField: "int4",
    models.SmallIntegerField: "int2",
    models.BooleanField: "bool",
    models.BinaryField: "bytea",
    models.ForeignKey: "int2",
}
"""Everything else is text."""


@dataclass(frozen=True)
class WrittenTable:
    """A table, and those of its columns that are written, in this order."""

    name: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]

    @cached_property
    def listed(self) -> str:
        """The columns, by commas."""
        return ", ".join(self.columns)

    def of(self, alias: str, first: int = 1) -> str:
        """Return the columns of an alias, separated by commas, without the first `first` ones."""
        return ", ".join(f"{alias}.{column}" for column in self.columns[first:])


def _table(model: type[models.Model]) -> WrittenTable:
    fields = [field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]
    kinds = (next((kind for of, kind in _KINDS.items() if type(field) is of), "text") for field in fields)
    return WrittenTable(model._meta.db_table, tuple(str(field.column) for field in fields), tuple(kinds))


ENDPOINTS: Final = _table(ConversationEndpoint)
GROUPS: Final = _table(ConversationGroup)
MESSAGES: Final = _table(QueueMessage)
RETAINED: Final = _table(RetainedMessage)
OUTGOING: Final = _table(OutgoingMessage)
HELD: Final = _table(HeldFragment)
OBJECTS: Final = _table(TransmissionObject)

LASTING: Final = frozenset(
    (
        "instance_id",
        "conversation_handle",
        "conversation_id",
        "is_initiator",
        "database",
        "service_name",
        "queue",
        "far_service",
        "service_contract_name",
        "lifetime",
        "priority",
        "encryption",
    )
)
"""Columns of an endpoint that stay as it was made."""
SELDOM: Final = (
    "far_broker_instance",
    "conversation_group_id",
    "kept_route",
    "kept_identifier",
    "kept_database",
    "end_dialog_sequence",
    "security_timestamp",
    "integrity",
    "key_id",
    "fragment_bytes",
)
"""Columns of an endpoint that change once or twice in its life."""
