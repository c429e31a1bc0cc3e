"""Conversation priorities: the best match, determined when the endpoint is created and kept for its life."""

from __future__ import annotations

from collections.abc import Iterable

from routing.model.catalog_objects import Priority

DEFAULT_PRIORITY = 5

PriorityPattern = tuple[str | None, str | None, str | None]


class PriorityTable:
    """The rows of sys.conversation_priorities of one database."""

    __slots__ = ("_levels",)

    def __init__(self, rows: Iterable[Priority] = ()) -> None:
        self._levels: dict[PriorityPattern, int] = {}
        for row in rows:
            pattern = (row.contract_name, row.local_service_name, row.remote_service_name)
            self._levels.setdefault(pattern, row.priority_level)

    def level(self, contract: str, local: str, remote: str) -> int:
        """Return the priority, 1 to 10. The contract outranks the local service, which outranks the remote service."""
        if not self._levels:
            return DEFAULT_PRIORITY
        for c in (contract, None):
            for own in (local, None):
                for far in (remote, None):
                    if (found := self._levels.get((c, own, far))) is not None:
                        return found
        return DEFAULT_PRIORITY
