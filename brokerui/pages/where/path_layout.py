"""The picture of a path as a diagram: one column for each hop, lines forth and lines back; and its layout."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from brokerui.drawing.area import Area
from brokerui.drawing.layered.diagram import LEFT, RIGHT, SOURCE, Diagram, DiagramEdge, DiagramNode
from brokerui.drawing.layered.layout import LayeredLayout, lay_out
from brokerui.drawing.layered.spacing import LABEL_GAP
from brokerui.pages.where.box_metrics import PathBoxMetrics, box_metrics, middle
from brokerui.pages.where.graph import BoxKey, PathBox, PathGraph, PathSend
from brokerui.pages.where.path_text import FROM_OUTSIDE, PathTextMetrics, return_labels, send_labels
from routing.rules.decision import EXITS

STUB = 8.0
"""Length in pixels of the line beyond the label of a message that comes from outside or exits."""
FORTH, BACK = "forth", "back"


@dataclass(frozen=True, slots=True)
class PathLayout:
    """A graph with sizes and places."""

    graph: PathGraph
    texts: PathTextMetrics
    metrics: Mapping[BoxKey, PathBoxMetrics]
    layout: LayeredLayout[BoxKey]

    def table(self, box: PathBox, name: object) -> Area:
        """Where a table stands."""
        return self.layout.nested[box.key, name]

    def end(self, box: PathBox, table: object, key: object) -> Area:
        """Where an end of a table stands."""
        return self.layout.nested[box.key, (table, key)]


def path_layout(graph: PathGraph, texts: PathTextMetrics) -> PathLayout:
    """The layout of a graph."""
    entries = _entries(graph)
    metrics = {key: box_metrics(box, entries[key], texts) for key, box in graph.boxes.items()}
    nodes = [
        DiagramNode(
            key=key,
            width=one.width,
            height=one.height,
            column=one.box.column,
            room_left=_room_left(graph, one.box, texts),
            nested=(*one.tables.values(), *one.ends.values()),
        )
        for key, one in metrics.items()
    ]
    edges = [*_sends(graph, metrics, texts), *_returns(metrics, texts)]
    diagram = Diagram(nodes, edges, is_top_aligned=True, has_equal_widths=False)
    return PathLayout(graph, texts, metrics, lay_out(diagram))


def sends_of(graph: PathGraph) -> Iterator[tuple[PathBox, object, PathSend]]:
    """Yield every send between boxes, with its box and its table."""
    for box in graph.boxes.values():
        for name, asker in box.askers.items():
            yield from ((box, name, lead) for lead in asker.leads.values())


def _entries(graph: PathGraph) -> dict[BoxKey, int]:
    """How many lines come to each box."""
    entries: dict[BoxKey, int] = defaultdict(int)
    if graph.from_outside:
        entries[graph.start] += 1
    for _, _, lead in sends_of(graph):
        entries[lead.to] += 1
    return entries


def _room_left(graph: PathGraph, box: PathBox, texts: PathTextMetrics) -> float:
    """Room for lines that come from outside the estate or leave it, and lead from or to no box."""
    labels = [label for back in box.backs.values() if back.kind == EXITS for label in return_labels(back)]
    if graph.from_outside and box.key == graph.start:
        labels.append(FROM_OUTSIDE)
    return texts.widest(labels) + LABEL_GAP + STUB if labels else 0.0


def _sends(
    graph: PathGraph, metrics: Mapping[BoxKey, PathBoxMetrics], texts: PathTextMetrics
) -> Iterator[DiagramEdge[BoxKey]]:
    """Yield the lines forth: those of one table leave it together; all come in at the left."""
    taken: dict[BoxKey, int] = defaultdict(int)
    if graph.from_outside:
        taken[graph.start] = 1
    for box, name, lead in sends_of(graph):
        yield DiagramEdge(
            key=(FORTH, box.key, name, lead.to),
            source=box.key,
            target=lead.to,
            leave_y=middle(metrics[box.key].tables[name]),
            enter_y=metrics[lead.to].entry_y[taken[lead.to]],
            bundle=(FORTH, box.key, name),
            leave_side=RIGHT,
            enter_side=LEFT,
            label_width=texts.widest(send_labels(lead)),
        )
        taken[lead.to] += 1


def _returns(metrics: Mapping[BoxKey, PathBoxMetrics], texts: PathTextMetrics) -> Iterator[DiagramEdge[BoxKey]]:
    """Yield the lines back: those to one box come to it together, from the right."""
    for key, one in metrics.items():
        for name, back in one.box.backs.items():
            if back.to is not None:
                yield DiagramEdge(
                    key=(BACK, key, name),
                    source=key,
                    target=back.to,
                    leave_y=one.return_y[name],
                    enter_y=metrics[back.to].return_entry_y,
                    bundle=(BACK, back.to),
                    leave_side=LEFT,
                    enter_side=RIGHT,
                    label_width=texts.widest(return_labels(back)),
                    label_at=SOURCE,
                )
