"""A comparison of two estates as `diff` gives it: one JSON object, written piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice

from brokerui.analysis.explanations.missing_statements import missing_anywhere
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE, Node, TrafficClass
from routing.common.sentence import Sentence
from routing.diff.result import BETTER, MOVED, WORSE, Differential, DiffGroup, Outcomes
from routing.documents.conversation_json import entry_as_json
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.journey import in_order
from routing.rules.suppositions import Supposition, suppositions

SHOWN_ENTRIES = 20
"""Entry points that a group names; of more it has the count."""
Weights = dict[tuple[Node, TrafficClass], int]
"""Messages by entry point and class."""


@dataclass
class DiffReport:
    """The parts of a comparison that readers are given."""

    comparison: Differential
    weights: Weights | None
    """Messages by entry point and class; None: no traffic was given."""
    limit: int
    """Rows at the most."""
    after: Estate
    at: datetime

    @cached_property
    def summary(self) -> dict[str, int]:
        return self.comparison.summary()

    @property
    def changed(self) -> int:
        return self.summary[WORSE] + self.summary[MOVED] + self.summary[BETTER]

    @cached_property
    def _by_class(self) -> dict[TrafficClass, list[tuple[Node, int]]]:
        found: dict[TrafficClass, list[tuple[Node, int]]] = {}
        for (node, traffic), messages in (self.weights or {}).items():
            found.setdefault(traffic, []).append((node, messages))
        return found

    @cached_property
    def intended(self) -> dict[str, int]:
        """How many classes that a route or the traffic names are worse, moved and better."""
        counts = dict.fromkeys((WORSE, MOVED, BETTER), 0)
        for group in self.comparison.groups:
            counts[group.verdict] += self.intended_of(group)
        return counts

    @property
    def verdict(self) -> str:
        """`worse` where an intended class is, `changed` where anything changes, else `unchanged`."""
        return WORSE if self.intended[WORSE] else self.comparison.verdict

    def is_intended(self, node: Node, group: DiffGroup) -> bool:
        """True if a route or the traffic names the class."""
        return bool(self.messages_of(node, group)) or self.comparison.intent.has(node, group)

    def intended_of(self, group: DiffGroup) -> int:
        """How many of its classes a route or the traffic names."""
        seen = (node for node, count in self._by_class.get(group.traffic, ()) if count and node in group.members)
        return self.comparison.intent.members(group) + sum(not self.comparison.intent.has(node, group) for node in seen)

    def supposed(self, node: Node, group: DiffGroup) -> Supposition | None:
        """The unknown fact under which the class would be delivered after the change; None if it hangs on none."""
        traffic = group.traffic
        is_stand_in = UNKNOWN_SERVICE in traffic.to_service or traffic.to_broker_instance == UNKNOWN_IDENTIFIER
        if traffic.is_reply or is_stand_in or not group.after:
            return None
        conversation = Conversation(*node, traffic.to_service, traffic.to_broker_instance)
        return next(iter(suppositions(self.after, conversation, self.at, group.after)), None)

    @property
    def remarks(self) -> tuple[Sentence, ...]:
        """Return the facts beside the routes on which the answers depend."""
        return tuple(missing_anywhere(self.after))

    def messages_of(self, node: Node, group: DiffGroup) -> int | None:
        """The messages of one class; null without traffic."""
        return None if self.weights is None else self.weights.get((node, group.traffic), 0)

    def messages(self, group: DiffGroup) -> int | None:
        """The messages of all classes of a group."""
        if self.weights is None:
            return None
        return sum(count for node, count in self._by_class.get(group.traffic, ()) if node in group.members)


class _Texts:
    """JSON texts of values that recur in thousands of rows."""

    def __init__(self) -> None:
        self._ends: dict[Outcomes, str] = {}
        self._entries: dict[Node, str] = {}

    def ends(self, outcomes: Outcomes) -> str:
        text = self._ends.get(outcomes)
        if text is None:
            text = self._ends[outcomes] = json.dumps([outcome.as_json() for outcome in in_order(outcomes)])
        return text

    def entry(self, node: Node) -> str:
        text = self._entries.get(node)
        if text is None:
            text = self._entries[node] = json.dumps(entry_as_json(*node))
        return text

    def group(self, group: DiffGroup) -> str:
        """Return the columns that all rows of a group share."""
        service, identifier = json.dumps(group.traffic.shown_service), json.dumps(group.traffic.to_broker_instance)
        return (
            f'"to_service": {service}, "to_broker_instance": {identifier}, '
            f'"is_reply": {json.dumps(group.traffic.is_reply)}, '
            f'"before": {self.ends(group.before)}, "after": {self.ends(group.after)}, '
            f'"verdict": "{group.verdict}", "kind": "{group.kind}"'
        )


def report_as_json(report: DiffReport, **more: object) -> Iterator[str]:
    """The pieces of one JSON object, `more` first; the rows and groups stand a line each."""
    rows, groups = rows_as_json(report), groups_as_json(report)
    return framed(rows, groups, report.comparison.classes, is_cut=report.changed > report.limit, **more)


def framed(rows: Iterable[str], groups: Iterable[str], classes: int, *, is_cut: bool, **more: object) -> Iterator[str]:
    """The pieces of the JSON object of a report; `groups` are the pieces from the first group to the end."""
    first = "".join(f"{json.dumps(key)}: {json.dumps(value)}, " for key, value in more.items())
    yield f'{{{first}"classes": {classes},\n"changed": ['
    yield from _lines(rows)
    yield f'],\n"truncated": {json.dumps(is_cut)},\n"groups": ['
    yield from groups


def groups_as_json(report: DiffReport) -> Iterator[str]:
    """The pieces from the first group to the end of the object."""
    texts = _Texts()
    yield from _lines(_group(report, group, texts) for group in report.comparison.groups)
    yield f'],\n"summary": {json.dumps(report.summary)},\n'
    yield f'"intended": {json.dumps(report.intended)},\n"verdict": "{report.verdict}"}}\n'


def rows_as_json(report: DiffReport) -> Iterator[str]:
    """The rows, worst first; none holds a line break."""
    texts = _Texts()
    common: tuple[DiffGroup | None, str] = (None, "")
    for node, group in islice(report.comparison.rows(), report.limit):
        if common[0] is not group:
            common = (group, texts.group(group))
        messages = json.dumps(report.messages_of(node, group))
        intended = json.dumps(report.is_intended(node, group))
        yield f'{{"from": {texts.entry(node)}, {common[1]}, "messages": {messages}, "intended": {intended}}}'


def _group(report: DiffReport, group: DiffGroup, texts: _Texts) -> str:
    entries = ", ".join(map(texts.entry, islice(group.members, SHOWN_ENTRIES)))
    counts = f'"from_count": {len(group.members)}, "intended_count": {report.intended_of(group)}'
    return f'{{{texts.group(group)}, "messages": {json.dumps(report.messages(group))}, {counts}, "from": [{entries}]}}'


def _lines(texts: Iterable[str]) -> Iterator[str]:
    for index, text in enumerate(texts):
        yield (",\n" if index else "\n") + text
