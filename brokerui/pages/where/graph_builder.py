"""Builds the graph of a picture from an explanation; instances above MAX_BOXES are drawn as one box with counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from brokerui.analysis.explanations.outcome_wording import short_reason
from brokerui.analysis.explanations.return_wording import lacks_route
from brokerui.pages.where.graph import (
    EXIT,
    HOME,
    INSTANCE,
    MORE,
    PASSES,
    AskedTable,
    BoxKey,
    PathBox,
    PathEnd,
    PathGraph,
    PathSend,
    ReturnPiece,
)
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate
from routing.rules.decision import (
    DELAYED,
    DELIVERED,
    DROPPED,
    EXITS,
    HOP_LIMIT,
    Decision,
    Delay,
    Deliver,
    Drop,
    Send,
)
from routing.rules.explanation import Explanation
from routing.rules.journey import Position, ReachedBy, walk
from routing.rules.journey_account import HopAccount, Journey
from routing.rules.return_path import ReturnPath

MAX_BOXES = 30
MAX_ENDS = 6
"""Boxes, and ends of one table, that are drawn one by one at most."""


def graph_of(explanation: Explanation, estate: Estate) -> PathGraph:
    """The graph of a forward path and its return paths."""
    conversation = explanation.forward.conversation
    graph = PathGraph(BoxKey(INSTANCE, conversation.instance), conversation.from_outside)
    _ForwardPath(graph, explanation.forward, estate).draw()
    for back in explanation.returns:
        if BoxKey(INSTANCE, back.target.instance) in graph.boxes:
            _ReturnPath(graph, back, estate).draw()
        else:
            graph.hidden_returns += 1
    _count_undrawn(graph)
    return graph


def _count_undrawn(graph: PathGraph) -> None:
    """Replace the pieces of return paths to boxes that are not drawn by their number, for each source by itself."""
    for box in graph.boxes.values():
        undrawn: dict[str | None, set[BoxKey]] = defaultdict(set)
        for key, back in list(box.backs.items()):
            if back.to is not None and back.to not in graph.boxes:
                undrawn[back.source].add(back.to)
                del box.backs[key]
        for source, keys in undrawn.items():
            box.backs[source, MORE] = ReturnPiece(source, None, MORE, say("{count} more instances", count=len(keys)))


def decisions_of(journey: Journey, estate: Estate) -> Iterator[tuple[Position, ReachedBy | None, Decision]]:
    """Every place that the message may come to, how it came there, and each decision of it; breadth first."""
    accounts = {(hop.instance, hop.database): hop.decisions for hop in journey.hops}
    start = Position(journey.conversation.instance, journey.conversation.database, estate.hop_limit)
    reached_by = walk(start, lambda place: accounts[place.instance, place.database]).reached_by
    for place, way in reached_by.items():
        for decision in accounts[place.instance, place.database]:
            yield place, way, decision


def past_limit(place: Position, decision: Decision) -> bool:
    """LOOP-1: a message from outside is not forwarded without a remaining hop."""
    return isinstance(decision, Send) and place.database is None and place.hops_remaining == 0


class _ForwardPath:
    """Adds the boxes, tables and ends of the forward path, in the order in which a message first reaches them."""

    def __init__(self, graph: PathGraph, journey: Journey, estate: Estate) -> None:
        self.graph = graph
        self.journey = journey
        self.estate = estate
        self.accounts = {(hop.instance, hop.database): hop for hop in journey.hops}
        self.folded: dict[BoxKey, BoxKey] = {}

    def draw(self) -> None:
        self._box(self.graph.start, 0)
        for place, _, decision in decisions_of(self.journey, self.estate):
            box = self._box(BoxKey(INSTANCE, place.instance), 0)
            asker = self._asker(box, place)
            if past_limit(place, decision):
                self._stop(box, asker, PathEnd(DROPPED, say("Dropped"), short_reason(HOP_LIMIT)), route_of(decision))
            elif isinstance(decision, Send):
                self._lead(box, asker, decision)
            else:
                self._stop(box, asker, stop_of(decision, self.journey), route_of(decision))

    def _box(self, key: BoxKey, column: int) -> PathBox:
        """The box of this key, made in this column if it is new; the box for the rest of the column above the limit."""
        key = self.folded.get(key, key)
        if key in self.graph.boxes:
            return self.graph.boxes[key]
        if len(self.graph.boxes) >= MAX_BOXES:
            return self._fold(key, column)
        box = self.graph.boxes[key] = PathBox(key, column, key.name, self._note(key))
        return box

    def _fold(self, key: BoxKey, column: int) -> PathBox:
        more = self.folded[key] = BoxKey(MORE, str(column))
        box = self.graph.boxes.get(more)
        if box is None:
            box = self.graph.boxes[more] = PathBox(more, column, "", say("not drawn one by one"), stands_for=0)
        box.stands_for += 1
        box.title = say("{count} more instances", count=box.stands_for)
        return box

    def _note(self, key: BoxKey) -> Sentence:
        if key.kind == EXIT:
            return say("no instance of this estate")
        if self.estate.instances[key.name].forwarding:
            return say("forwarding on")
        return say("forwarding off")

    def _asker(self, box: PathBox, place: Position) -> AskedTable:
        key = place.database if box.key.kind == INSTANCE else MORE
        if key not in box.askers:
            box.askers[key] = self._new_asker(box, self.accounts[place.instance, place.database])
        return box.askers[key]

    def _new_asker(self, box: PathBox, hop: HopAccount) -> AskedTable:
        if box.key.kind == MORE:
            return AskedTable(MSDB, say("of each"), from_outside=True)
        table = self.estate.instances[hop.instance].tables[hop.database]
        matched = {name for step in hop.steps if step.taken and step.rule.startswith("MATCH") for name in step.routes}
        if len(matched) == len(table) == 1:
            note = say("its only route matched")
        else:
            note = say("{matched} of {count} routes matched", matched=len(matched), count=len(table))
        return AskedTable(hop.table, note, from_outside=hop.database is None)

    def _lead(self, box: PathBox, asker: AskedTable, send: Send) -> None:
        key = BoxKey(INSTANCE, send.to) if send.to is not None else BoxKey(EXIT, send.address.key)
        to = self._box(key, box.column + 1).key
        lead = asker.leads.setdefault(to, PathSend(to))
        _add(lead.routes, send.route)
        _add(lead.addresses, send.address.key)

    def _stop(self, box: PathBox, asker: AskedTable, stop: PathEnd, route: str) -> None:
        if box.key.kind == MORE:
            self._count(asker, stop, stop.kind)
            return
        key = (stop.kind, str(stop.title), str(stop.note))
        if key not in asker.stops and len(asker.stops) >= MAX_ENDS:
            self._count(asker, stop, MORE)
            return
        _add(asker.stops.setdefault(key, stop).routes, route)

    def _count(self, asker: AskedTable, stop: PathEnd, key: str) -> None:
        """Count an end that is not drawn by itself, by kind."""
        counted = asker.stops.get((key, stop.kind))
        count = counted.count + 1 if counted else 1
        title = Sentence(_COUNTED[stop.kind].text, {"count": count})
        asker.stops[key, stop.kind] = PathEnd(stop.kind, title, say("more, not drawn"), count=count)


class _ReturnPath:
    """Adds one return path: lines between boxes, and where they end."""

    def __init__(self, graph: PathGraph, back: ReturnPath, estate: Estate) -> None:
        self.graph = graph
        self.back = back
        self.estate = estate

    def draw(self) -> None:
        for place, way, decision in decisions_of(self.back.journey, self.estate):
            box = self._box(place, way)
            if box is None:
                continue
            piece = self._piece(place, decision)
            key = (piece.source, piece.to, piece.kind, str(piece.note) if piece.to is None else "")
            _add(box.backs.setdefault(key, piece).routes, route_of(decision))

    def _box(self, place: Position, way: ReachedBy | None) -> PathBox | None:
        key = BoxKey(INSTANCE, place.instance)
        if key not in self.graph.boxes:
            before = self.graph.boxes.get(BoxKey(INSTANCE, way.place.instance)) if way else None
            if before is None or len(self.graph.boxes) >= 2 * MAX_BOXES:
                return None
            self.graph.boxes[key] = PathBox(key, max(0, before.column - 1), key.name, say("on the way back"))
        return self.graph.boxes[key]

    def _piece(self, place: Position, decision: Decision) -> ReturnPiece:
        if past_limit(place, decision):
            return ReturnPiece(place.database, None, DROPPED, short_reason(HOP_LIMIT))
        if isinstance(decision, Send):
            if decision.to is None:
                return ReturnPiece(place.database, None, EXITS, decision.address.key)
            return ReturnPiece(place.database, BoxKey(INSTANCE, decision.to), PASSES, decision.address.key)
        if decision.outcome == self.back.home:
            return ReturnPiece(place.database, None, HOME, "")
        return ReturnPiece(place.database, None, decision.outcome.kind, self._why(decision))

    def _why(self, decision: Deliver | Delay | Drop) -> Sentence:
        if isinstance(decision, Deliver):
            return say("{database}, which did not begin it", database=decision.database)
        return say("no return route") if lacks_route(self.back) else short_reason(decision.reason)


def stop_of(decision: Deliver | Delay | Drop, journey: Journey) -> PathEnd:
    """The end that a decision makes."""
    if isinstance(decision, Deliver):
        return PathEnd(DELIVERED, decision.database, journey.conversation.to_service)
    if isinstance(decision, Delay):
        return PathEnd(DELAYED, say("Delayed"), short_reason(decision.reason))
    return PathEnd(DROPPED, say("Dropped"), short_reason(decision.reason))


def route_of(decision: Decision) -> str:
    """The route that a decision took; empty where a rule stood in for one, or it took none."""
    return (decision.route or "") if isinstance(decision, Deliver | Send) else ""


def _add(names: list[str], name: str) -> None:
    if name and name not in names:
        names.append(name)


_COUNTED = {
    DELIVERED: say("{count} delivered"),
    DELAYED: say("{count} delayed"),
    DROPPED: say("{count} dropped"),
}
