"""The two sides of the matrix: what the filter selects, in groups if it is too many for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import itemgetter

from brokerui.analysis.explanations.origin import OUTSIDE, as_origin, is_outside, meant, origin_text
from brokerui.core.filters import within
from brokerui.pages.reachability.query import ReachabilityQuery
from routing.classes.traffic_class import Node
from routing.common.names import DYNAMIC_ROUTING_SERVICE, MSDB, is_system_service
from routing.model.estate import Estate

MOST = 60
"""Rows, and columns."""
FEW = 8
"""Beginnings of names that are too few to be all columns: one name that begins otherwise is enough for two of them."""


@dataclass(frozen=True, slots=True)
class AxisGroup:
    """A row or a column: the members are numbers in the matrix."""

    label: str
    members: tuple[int, ...]
    first: str
    """As the address names them, from the first to the last."""
    last: str

    @property
    def is_single(self) -> bool:
        return len(self.members) == 1


class UnknownOriginError(Exception):
    """A range of origins that begins or ends nowhere in this estate."""


# -- Origins -----------------------------------------------------------------------------------------------


def origins(estate: Estate, nodes: Sequence[Node], page_query: ReachabilityQuery) -> list[int]:
    """The entry points that are asked for, sorted; by number. Raises `UnknownOriginError`."""
    order = sorted(range(len(nodes)), key=lambda number: _sorting(nodes[number]))
    if page_query.origin_from or page_query.origin_to:
        place = {nodes[number]: index for index, number in enumerate(order)}
        first = place[_named(estate, page_query.origin_from, place)] if page_query.origin_from else 0
        last = place[_named(estate, page_query.origin_to, place)] if page_query.origin_to else len(order) - 1
        order = order[first : last + 1]
    fits = within(as_origin(page_query.origin, estate)) if page_query.origin else None
    return [number for number in order if _is_selected(nodes[number], page_query, fits)]


def _sorting(node: Node) -> tuple[str, bool, str]:
    return node[0], node[1] is None, node[1] or ""


def _named(estate: Estate, text: str, known: Iterable[Node]) -> Node:
    node: Node | None = None
    text = as_origin(text, estate)
    if is_outside(text, estate):
        node = text.removeprefix(OUTSIDE), None
    elif len(found := meant(text, estate)) == 1:
        node = found[0]
    if node is None or node not in known:
        raise UnknownOriginError(text)
    return node


def _is_selected(node: Node, page_query: ReachabilityQuery, fits: Callable[[str], bool] | None) -> bool:
    if node[1] is None and not page_query.outside:
        return False
    if node[1] == MSDB and not page_query.system:
        return False
    return fits is None or fits(shown_origin(node))


def shown_origin(node: Node) -> str:
    """An entry point in few letters."""
    return f"{OUTSIDE}{node[0]}" if node[1] is None else f"{node[0]}/{node[1]}"


def asked_origin(estate: Estate, node: Node) -> str:
    """An entry point as the page *Where does it go?* takes it."""
    return f"{OUTSIDE}{node[0]}" if node[1] is None else origin_text(estate, node[0], node[1])


def origin_groups(estate: Estate, nodes: Sequence[Node], numbers: Sequence[int]) -> list[AxisGroup]:
    """Each by itself; or by instance; or by instances that stand beside one another in the alphabet."""

    def group(members: Sequence[int], label: str) -> AxisGroup:
        first, last = nodes[members[0]], nodes[members[-1]]
        return AxisGroup(label, tuple(members), asked_origin(estate, first), asked_origin(estate, last))

    if len(numbers) <= MOST:
        return [group([number], shown_origin(nodes[number])) for number in numbers]
    instances = [(name, list(those)) for name, those in groupby(numbers, lambda number: nodes[number][0])]
    if len(instances) == 1:
        chunks = _chunks(numbers)
        return [group(c, _range(shown_origin(nodes[c[0]]), shown_origin(nodes[c[-1]]))) for c in chunks]
    if len(instances) <= MOST:
        return [group(members, name) for name, members in instances]
    return [
        group([number for _, members in chunk for number in members], _range(chunk[0][0], chunk[-1][0]))
        for chunk in _chunks(instances)
    ]


# -- Services ----------------------------------------------------------------------------------------------


def services(names: Sequence[str], page_query: ReachabilityQuery) -> list[int]:
    """The names that are asked for, by number."""
    fits = within(page_query.service) if page_query.service else None
    return [
        number for number, name in enumerate(names) if _is_wanted(name, page_query) and (fits is None or fits(name))
    ]


def _is_wanted(name: str, page_query: ReachabilityQuery) -> bool:
    if page_query.service_from and name < page_query.service_from:
        return False
    if page_query.service_to and name > page_query.service_to:
        return False
    return bool(page_query.system) or not (is_system_service(name) or name == DYNAMIC_ROUTING_SERVICE)


def service_groups(names: Sequence[str], numbers: Sequence[int]) -> list[AxisGroup]:
    """Each by itself; or by what they begin with, up to a slash; or by beginnings that stand beside one another."""
    if len(numbers) <= MOST:
        return [AxisGroup(names[number], (number,), names[number], names[number]) for number in numbers]
    beginnings: list[tuple[str, list[int]]] = []
    for finer in _by_beginning(names, numbers):
        if len(finer) > MOST:
            if len(beginnings) < FEW:
                return [_merged(names, chunk) for chunk in _chunks(finer)]
            break
        beginnings = finer
    return [_merged(names, [one]) for one in beginnings]


def _by_beginning(names: Sequence[str], numbers: Sequence[int]) -> Iterator[list[tuple[str, list[int]]]]:
    """The names by their first part, by their first two parts, and so on to each by itself."""
    parts = {number: list(accumulate(_split(names[number]))) for number in numbers}
    for depth in range(max(map(len, parts.values()))):
        beginnings = [parts[number][min(depth, len(parts[number]) - 1)] for number in numbers]
        found = groupby(zip(beginnings, numbers, strict=True), itemgetter(0))
        yield [(beginning, [number for _, number in those]) for beginning, those in found]


def _split(name: str) -> list[str]:
    """Parts that each end with their slash."""
    return [part for part in name.replace("/", "/\n").split("\n") if part] if "\n" not in name else [name]


def _merged(names: Sequence[str], chunk: Sequence[tuple[str, list[int]]]) -> AxisGroup:
    members = tuple(number for _, those in chunk for number in those)
    first, last = names[members[0]], names[members[-1]]
    label = _range(_shown(names, chunk[0]), _shown(names, chunk[-1]))
    return AxisGroup(f"{label}…" if len(chunk) == 1 and len(members) > 1 else label, members, first, last)


def _shown(names: Sequence[str], one: tuple[str, list[int]]) -> str:
    beginning, those = one
    return names[those[0]] if len(those) == 1 else beginning


# -- Both --------------------------------------------------------------------------------------------------


def _chunks(things: Sequence[tuple[str, list[int]]] | Sequence[int]) -> list[Sequence]:
    """As few as may be, equally long."""
    size = -(-len(things) // MOST)
    return [things[start : start + size] for start in range(0, len(things), size)]


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first} … {last}"
