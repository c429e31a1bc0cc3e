"""The history of a world: its records in order, the only input of the checkers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from routing.model.estate import Estate
from routing.simulation.clock import START
from routing.simulation.records import BrokerStarted, Record
from routing.simulation.world import World


class WorldHistory:
    """The records of a world in the order in which they happened."""

    __slots__ = ("records", "world")

    def __init__(self, world: World) -> None:
        self.world = world
        self.records: list[Record] = []

    def add(self, record: Record) -> None:
        self.records.append(record)

    def extend(self, records: Iterable[Record]) -> None:
        self.records.extend(records)

    def lines(self) -> Iterator[str]:
        """Yield every record as text; identical for the same world."""
        for record in self.records:
            estate = f"estate of {len(record.estate.instances)}" if isinstance(record, BrokerStarted) else ""
            values = (estate if isinstance(value, Estate) else _shown(value) for value in record)
            yield f"{type(record).__name__} {' '.join(values)}"

    @property
    def duration(self) -> int:
        """World time that passed, in milliseconds."""
        return self.records[-1].at - START if self.records else 0


def _shown(value: object) -> str:
    return str(sorted(value)) if isinstance(value, frozenset) else str(value)
