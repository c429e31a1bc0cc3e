"""One statement of T-SQL that concerns Service Broker, as a value: what was read, and what can be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CREATE, ALTER, DROP, USE = "CREATE", "ALTER", "DROP", "USE"

ROUTE, SERVICE, QUEUE, CONTRACT = "ROUTE", "SERVICE", "QUEUE", "CONTRACT"
MESSAGE_TYPE, PRIORITY, BINDING = "MESSAGE TYPE", "BROKER PRIORITY", "REMOTE SERVICE BINDING"
DATABASE, ENDPOINT = "DATABASE", "ENDPOINT"


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
