"""A comparison of two estates as JSON and as lines for a terminal, written piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from brokerui.traffic import Weights
from routing.asking import entry_as_json
from routing.classes import Node, TrafficClass
from routing.comparison import BETTER, MOVED, WORSE, Comparison, Group, Outcomes
from routing.journey import in_order

SHOWN_ENTRIES = 20
"""Entry points that a group names; of more it has the count."""
SHOWN_GROUPS = 50
"""Groups in the text for a terminal."""


@dataclass
class Report:
    """What is shown of a comparison."""

    comparison: Comparison
    weights: Weights | None
    """Messages by entry point and class; None: no traffic was given."""
    limit: int
    """Rows at the most."""

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

    def messages_of(self, node: Node, group: Group) -> int | None:
        """The messages of one class; null without traffic."""
        return None if self.weights is None else self.weights.get((node, group.traffic), 0)

    def messages(self, group: Group) -> int | None:
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

    def group(self, group: Group) -> str:
        """What the rows of a group and the group itself have in common."""
        service, identifier = json.dumps(group.traffic.shown_service), json.dumps(group.traffic.to_broker_instance)
        return (
            f'"to_service": {service}, "to_broker_instance": {identifier}, '
            f'"is_reply": {json.dumps(group.traffic.is_reply)}, '
            f'"before": {self.ends(group.before)}, "after": {self.ends(group.after)}, '
            f'"verdict": "{group.verdict}", "kind": "{group.kind}"'
        )


def report_as_json(report: Report) -> Iterator[str]:
    """The pieces of one JSON object; the rows and groups stand a line each."""
    texts = _Texts()
    yield f'{{"classes": {report.comparison.classes},\n"changed": ['
    yield from _lines(_rows(report, texts))
    yield f'],\n"truncated": {json.dumps(report.changed > report.limit)},\n"groups": ['
    yield from _lines(_group(report, group, texts) for group in report.comparison.groups)
    yield f'],\n"summary": {json.dumps(report.summary)}}}\n'


def _rows(report: Report, texts: _Texts) -> Iterator[str]:
    common: tuple[Group | None, str] = (None, "")
    for node, group in islice(report.comparison.rows(), report.limit):
        if common[0] is not group:
            common = (group, texts.group(group))
        messages = json.dumps(report.messages_of(node, group))
        yield f'{{"from": {texts.entry(node)}, {common[1]}, "messages": {messages}}}'


def _group(report: Report, group: Group, texts: _Texts) -> str:
    entries = ", ".join(map(texts.entry, islice(group.members, SHOWN_ENTRIES)))
    messages = json.dumps(report.messages(group))
    return f'{{{texts.group(group)}, "messages": {messages}, "from_count": {len(group.members)}, "from": [{entries}]}}'


def _lines(texts: Iterable[str]) -> Iterator[str]:
    for index, text in enumerate(texts):
        yield (",\n" if index else "\n") + text


def report_as_text(report: Report) -> Iterator[str]:
    """First the answer, then the groups, worst first."""
    counts = report.summary
    classes = report.comparison.classes
    if not report.changed:
        yield f"Nothing changes: each of {classes:,} classes of traffic ends as before.\n"
        return
    yield (
        f"{report.changed:,} of {classes:,} classes of traffic change: "
        f"{counts[WORSE]:,} worse, {counts[MOVED]:,} moved, {counts[BETTER]:,} better.\n"
    )
    for group in report.comparison.groups[:SHOWN_GROUPS]:
        yield from _group_lines(report, group)
    left = len(report.comparison.groups) - SHOWN_GROUPS
    if left > 0:
        yield f"\n… and {left:,} more groups; --format json has them all.\n"


def _group_lines(report: Report, group: Group) -> Iterator[str]:
    identifier = group.traffic.to_broker_instance
    to = group.traffic.shown_service + (f", identifier {identifier}" if identifier else "")
    reply = " (replies)" if group.traffic.is_reply else ""
    messages = report.messages(group)
    carried = "" if messages is None else f", {messages:,} messages"
    yield f"\n{group.verdict} ({group.kind}): to {to}{reply}{carried}\n"
    yield f"  before  {_ends_as_text(group.before)}\n  after   {_ends_as_text(group.after)}\n"
    first = [_entry_as_text(node) for node in islice(group.members, SHOWN_ENTRIES)]
    more = len(group.members) - len(first)
    yield f"  from    {', '.join(first)}{f' and {more:,} more' if more > 0 else ''}\n"


def _entry_as_text(node: Node) -> str:
    return f"outside {node[0]}" if node[1] is None else f"{node[0]}/{node[1]}"


def _ends_as_text(outcomes: Outcomes) -> str:
    return "; ".join(f"{end.kind} {end.instance} {end.detail}" for end in in_order(outcomes)) or "no such entry point"
