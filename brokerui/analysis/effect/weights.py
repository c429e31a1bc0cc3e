"""How many messages the kinds of conversation carried that a change touches, by the loaded result of the pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from brokerui.analysis.effect.rows import EffectRow
from brokerui.analysis.traffic.models import Met, Run
from brokerui.core.cache import LruCache
from routing.classes.traffic_class import Node, TrafficClass, Vocabulary
from routing.diff.result import DiffGroup

JOB = "route"
"""The job of the pipeline whose results say what each class of conversations carried."""
MOST = 50_000
"""Classes that are weighed, those with most messages."""
KEPT = 2


class Carried(NamedTuple):
    """Messages and conversations of one class of conversations."""

    node: Node
    to_service: str
    to_broker_instance: str | None
    is_reply: bool
    messages: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """The traffic of a loaded result."""

    started_at: datetime
    carried: tuple[Carried, ...]


_traffic: LruCache[Traffic] = LruCache(KEPT)


def latest_run() -> Run | None:
    """Return the newest result of traffic that applications sent; None where none is loaded."""
    return Run.objects.filter(job=JOB, is_generated=False).defer("record").first()


def latest_traffic() -> Traffic | None:
    """Return the traffic of the newest result that has it; None where none is loaded."""
    run = latest_run()
    return None if run is None else _traffic.get_or_make(run.id, lambda: Traffic(run.started_at, tuple(_carried(run))))


def _carried(run: Run) -> Iterable[Carried]:
    columns = "from_instance", "from_database", "to_service", "to_broker_instance", "is_reply", "messages"
    rows = Met.objects.filter(run=run).order_by("-messages").values_list(*columns)[:MOST]
    for instance, database, service, identifier, is_reply, messages in rows:
        yield Carried((instance, database), service, identifier, is_reply, messages)


def weights_by_class(vocabulary: Vocabulary) -> dict[tuple[Node, TrafficClass], int] | None:
    """Return the messages of every class, as `diff` weighs; None where no result is loaded."""
    traffic = latest_traffic()
    if traffic is None:
        return None
    found: Counter[tuple[Node, TrafficClass]] = Counter()
    for one in traffic.carried:
        met = vocabulary.class_of(one.to_service, one.to_broker_instance, is_reply=one.is_reply)
        found[one.node, met] += one.messages
    return dict(found)


class Weights:
    """Messages by class of conversations."""

    def __init__(self, traffic: Traffic, vocabulary: Vocabulary, groups: Iterable[DiffGroup]) -> None:
        self.started_at = traffic.started_at
        self._of_class: dict[TrafficClass, Counter[Node]] = {group.traffic: Counter() for group in groups}
        for one in traffic.carried:
            met = vocabulary.class_of(one.to_service, one.to_broker_instance, is_reply=one.is_reply)
            if met in self._of_class:
                self._of_class[met][one.node] += one.messages

    def of_group(self, group: DiffGroup) -> int:
        """Return the messages of all its entry points."""
        return sum(count for node, count in self._of_class[group.traffic].items() if node in group.members)

    def of_row(self, row: EffectRow) -> int:
        """Return the messages of all kinds of conversation of a row."""
        return sum(map(self.of_group, row.groups))
