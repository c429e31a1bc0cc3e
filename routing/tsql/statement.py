"""One T-SQL statement about Service Broker, as a value that is read and written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CREATE, ALTER, DROP, USE = "CREATE", "ALTER", "DROP", "USE"

ROUTE, SERVICE, QUEUE, CONTRACT = "ROUTE", "SERVICE", "QUEUE", "CONTRACT"
MESSAGE_TYPE, PRIORITY, BINDING = "MESSAGE TYPE", "BROKER PRIORITY", "REMOTE SERVICE BINDING"
DATABASE, ENDPOINT = "DATABASE", "ENDPOINT"
DEFAULT_SCHEMA = "dbo"


def schema_qualified(parts: tuple[str, ...]) -> str:
    """`schema.name` of a queue; the schema is dbo if omitted."""
    schema = parts[-2] if len(parts) > 1 and parts[-2] else DEFAULT_SCHEMA
    return f"{schema}.{parts[-1]}"


def name_in_estate(kind: str | None, parts: tuple[str, ...]) -> str:
    """The name of an object in an estate: only queues have a schema."""
    return schema_qualified(parts) if kind == QUEUE else parts[-1]


@dataclass(frozen=True, slots=True)
class Statement:
    """`VERB KIND name clauses`."""

    verb: str
    kind: str
    name: tuple[str, ...]
    """The parts of the name; only queues have more than one."""
    clauses: Mapping[str, Any] = field(default_factory=dict)
    """The clauses by keyword; omitted ones are absent."""

    @property
    def title(self) -> str:
        return USE if self.verb == USE else f"{self.verb} {self.kind}"

    @property
    def object(self) -> str:
        return schema_qualified(self.name) if self.kind == QUEUE else self.name[-1]
