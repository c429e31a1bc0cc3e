"""One statement of T-SQL that concerns Service Broker, as a value: what was read, and what can be written."""

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
    """`schema.name` of a queue; without a schema it is dbo's."""
    schema = parts[-2] if len(parts) > 1 and parts[-2] else DEFAULT_SCHEMA
    return f"{schema}.{parts[-1]}"


def name_in_estate(kind: str | None, parts: tuple[str, ...]) -> str:
    """What an estate calls an object that a script calls so: only queues have a schema."""
    return schema_qualified(parts) if kind == QUEUE else parts[-1]


@dataclass(frozen=True, slots=True)
class Statement:
    """`VERB KIND name clauses`."""

    verb: str
    kind: str
    name: tuple[str, ...]
    """Its parts, the last one last; only queues have more than one."""
    clauses: Mapping[str, Any] = field(default_factory=dict)
    """What it says of the object, by the keyword; what it does not say is absent."""

    @property
    def title(self) -> str:
        return f"{self.verb} {self.kind}"

    @property
    def object(self) -> str:
        return schema_qualified(self.name) if self.kind == QUEUE else self.name[-1]
