"""Contents of the page: the ways that fit, the picture of them, and where each stream leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext, ngettext

from brokerui.analysis.flow.folding import REST, Cut, FlowPlace, Folded, Lane, Path, folded
from brokerui.analysis.flow.wording import ENDS, HEADS, more, outcome_words, reason_words
from brokerui.analysis.reachability.caveats import Caveats, caveats_of
from brokerui.analysis.reachability.matrix import Matrix
from brokerui.analysis.reachability.selectors import KnownPairs, kept_under, known_of, names_of
from brokerui.changes.estate_view import EstateView
from brokerui.core.cache import LruCache
from brokerui.core.filters import Term, Test, as_text
from brokerui.drawing.charts.look import SIGNS, Figure, plain, short
from brokerui.drawing.charts.sankey import Node, Stream, sankey_figure
from brokerui.pages.flow.filtering import ConversationPath, way_filter
from brokerui.pages.reachability.axes import asked_origin
from routing.classes.reachability import FirstHopOutcome
from routing.classes.traffic_class import Node as Entry
from routing.common.names import MSDB
from routing.common.sentence import translator
from routing.rules.decision import DELIVERED, EXITS

translate = translator(gettext, ngettext)
FEW = 20
"""Up to this many databases are drawn one by one; above, by instance."""
Ways = list[tuple[int, int, FirstHopOutcome]]


@dataclass(frozen=True)
class FlowRow:
    """A stream as a row of the table."""

    id: str
    source: str
    source_url: str
    target: str
    outcome: str
    sign: str
    word: str
    ways: float
    url: str
    before: float | None = None
    """Ways of the stream before the edits of the draft, where they were another number."""


@dataclass(frozen=True, slots=True)
class FlowQuery:
    """The values of the page's address."""

    q: str = ""
    outside: bool = False
    """Whether messages from outside are shown too."""
    system: bool = False
    """Whether conversations that begin in msdb are shown too."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> FlowQuery:
        return cls(query.get("q", "").strip(), query.get("outside") == "1", query.get("system") == "1")

    def query(self, viewed: Mapping[str, str], **more: str) -> str:
        """The query string that asks this, of the same estate."""
        own = {"q": self.q, "outside": "1" if self.outside else "", "system": "1" if self.system else "", **more}
        return urlencode({**viewed, **{name: value for name, value in own.items() if value}})

    def test(self) -> Test[ConversationPath] | None:
        """Return the test of the filter; None without a filter. Raises `FilterError`."""
        return way_filter(self.q) if self.q else None

    def begins(self, node: Entry) -> bool:
        """Whether ways from this entry point are asked for."""
        return self.outside if node[1] is None else self.system or node[1] != MSDB


@dataclass(frozen=True)
class FlowPage:
    """The flow that a page query asks for."""

    viewed: EstateView
    page_query: FlowQuery
    known: KnownPairs
    ways: Ways

    @property
    def matrix(self) -> Matrix:
        return self.known.matrix

    @cached_property
    def pairs(self) -> dict[tuple[int, int], None]:
        """Each conversation once."""
        return dict.fromkeys((node, name) for node, name, _ in self.ways)

    @cached_property
    def totals(self) -> Counter[str]:
        return Counter(self.matrix.verdict(node, name) for node, name in self.pairs)

    @cached_property
    def caveats(self) -> Caveats:
        """Return the conditions of the verdicts of the shown pairs."""
        return caveats_of(self.matrix, self.viewed.estate, self.viewed.at(), self.pairs.keys())

    @cached_property
    def shows_databases(self) -> bool:
        return len({node for node, _, _ in self.ways}) <= FEW

    @cached_property
    def ends_are_databases(self) -> bool:
        return len({leg.end for _, _, leg in self.ways if leg.end.kind == DELIVERED}) <= FEW

    @cached_property
    def _origins(self) -> list[str]:
        """By number of the entry point: what it is called in the picture."""
        return [self._origin(node) for node in self.matrix.nodes]

    def _origin(self, node: Entry) -> str:
        name, database = node
        return f"{name}/{database or ''}" if self.shows_databases else name

    @cached_property
    def _legs(self) -> dict[FirstHopOutcome, tuple[str | None, str, str]]:
        """The rest of a path, of each leg."""
        return {leg: self._rest(leg) for leg in {leg for _, _, leg in self.ways}}

    def _rest(self, leg: FirstHopOutcome) -> tuple[str | None, str, str]:
        end = leg.end
        if end.kind != DELIVERED:
            return leg.via, f"{ENDS[end.kind]}{end.detail}", end.kind
        return leg.via, f"{end.instance}/{end.detail}" if self.ends_are_databases else end.instance, end.kind

    def path(self, node: int, leg: FirstHopOutcome) -> Path:
        """A way by the names of the picture."""
        return Path(self._origins[node], *self._legs[leg])

    def path_from(self, node: Entry, leg: FirstHopOutcome) -> Path:
        """A way of another version of the estate, by the names of the picture."""
        return Path(self._origin(node), *self._rest(leg))

    @cached_property
    def weights(self) -> Counter[Path]:
        """How many ways take which path."""
        origins, legs = self._origins, self._legs
        alike = Counter((origins[node], legs[leg]) for node, _, leg in self.ways)
        return Counter({Path(origin, *rest): count for (origin, rest), count in alike.items()})

    @cached_property
    def picture(self) -> Folded:
        always = {path.end for path in self.weights if path.outcome not in (DELIVERED, EXITS)}
        return folded(self.weights, always)


KEPT = 8
_pages: LruCache[FlowPage] = LruCache(KEPT)


def page_of(viewed: EstateView, page_query: FlowQuery) -> FlowPage:
    """Everything on the page. Raises `FilterError`."""
    test = page_query.test()
    known = known_of(viewed, names_of(viewed))
    kept = kept_under(viewed, known)
    if kept is None:
        return _page(viewed, page_query, known, test)
    return _pages.get_or_make((kept, page_query), lambda: _page(viewed, page_query, known, test))


def _page(
    viewed: EstateView, page_query: FlowQuery, known: KnownPairs, test: Test[ConversationPath] | None
) -> FlowPage:
    return FlowPage(viewed, page_query, known, ways_of(known.matrix, page_query, test))


def ways_of(matrix: Matrix, page_query: FlowQuery, test: Test[ConversationPath] | None = None) -> Ways:
    """Return the ways that a page query asks for; `test` is that of its filter."""
    begun = [page_query.begins(node) for node in matrix.nodes]
    ways = [way for way in matrix.ways if begun[way[0]]]
    return ways if test is None else [way for way in ways if test(_row(matrix, way))]


def _row(matrix: Matrix, way: tuple[int, int, FirstHopOutcome]) -> ConversationPath:
    node, name, leg = way
    return ConversationPath(*matrix.nodes[node], matrix.names[name], leg)


# -- The picture -------------------------------------------------------------------------------------------


def figure_of(page: FlowPage) -> Figure:
    """As a chart."""
    picture = page.picture
    number = {place: index for index, place in enumerate(picture.places)}
    nodes = [_node(page, place) for place in picture.places]
    streams = [
        Stream(number[lane.source], number[lane.target], weight, lane.outcome, _tells(page, lane, weight), f"s{index}")
        for index, (lane, weight) in enumerate(picture.lanes.items())
    ]
    return sankey_figure([head.render(translate) for head in HEADS], nodes, streams)


def _node(page: FlowPage, place: FlowPlace) -> Node:
    label = label_of(page, place)
    outcome = _outcome_of(place)
    sign = f"{SIGNS[outcome]} " if outcome else ""
    return Node(place.column, f"{sign}{label}", plain(label), outcome=outcome)


def _outcome_of(place: FlowPlace) -> str:
    if place.column < 2 or place.name == REST:
        return ""
    return next((kind for kind, mark in ENDS.items() if place.name.startswith(mark)), DELIVERED)


def label_of(page: FlowPage, place: FlowPlace) -> str:
    """Return the label of a place."""
    if place.name == REST:
        return more(place.column, page.picture.folded[place.column]).render(translate)
    outcome = _outcome_of(place)
    if outcome in ENDS:
        return reason_words(outcome, place.name.removeprefix(ENDS[outcome])).render(translate)
    return place.name.removesuffix("/")


def _tells(page: FlowPage, lane: Lane, weight: float) -> str:
    source, target = (plain(short(label_of(page, place))) for place in (lane.source, lane.target))
    word = outcome_words(lane.outcome).render(translate)
    return f"{source} → {target}<br>{SIGNS[lane.outcome]} {weight:,.0f} {plain(word)}"


# -- The twin ----------------------------------------------------------------------------------------------


def lines_of(page: FlowPage, before: Mapping[Lane, float] | None = None) -> Iterator[FlowRow]:
    """The streams as rows; `before` are the ways of each stream in the base of the draft."""
    single, lanes = _singles(page), page.picture.lanes
    for index, (lane, weight) in enumerate(lanes.items()):
        url = single.get(lane) or f"?{page.page_query.query(page.viewed.query, q=narrowed(page, lane))}"
        old = before.get(lane, 0) if before is not None else weight
        yield _line(page, lane, f"s{index}", (weight, url, None if old == weight else old))
    gone = sorted((before or {}).keys() - lanes.keys())
    yield from (_line(page, lane, f"gone{index}", (0, "", (before or {})[lane])) for index, lane in enumerate(gone))


def _line(page: FlowPage, lane: Lane, key: str, counted: tuple[float, str, float | None]) -> FlowRow:
    return FlowRow(
        key,
        label_of(page, lane.source),
        _routes(page, lane.source),
        label_of(page, lane.target),
        lane.outcome,
        SIGNS[lane.outcome],
        outcome_words(lane.outcome).render(translate),
        *counted,
    )


def _singles(page: FlowPage) -> dict[Lane, str]:
    """The explanation of each stream that is one way alone."""
    alone = {lane for lane, weight in page.picture.lanes.items() if weight == 1}
    cut, found = Cut(page.picture.kept), {}
    if alone:
        for node, name, leg in page.ways:
            for lane in cut.lanes(page.path(node, leg)):
                if lane in alone:
                    found[lane] = _where(page, node, name)
    return found


def _where(page: FlowPage, node: int, name: int) -> str:
    origin = asked_origin(page.viewed.estate, page.matrix.nodes[node])
    parameters = {**page.viewed.query, "from": origin, "to": page.matrix.names[name]}
    return f"{reverse('where:where')}?{urlencode(parameters)}"


def narrowed(page: FlowPage, lane: Lane) -> str:
    """The filter that leaves this stream."""
    keys = ("from", "via", "to")
    terms = [Term(_value(place), keys[place.column]) for place in lane[:2] if place.name != REST]
    if _outcome_of(lane.target) not in (DELIVERED, EXITS) or lane.target.column < 2:
        terms.append(Term(lane.outcome, "outcome"))
    known = set(page.page_query.q.split())
    return " ".join(filter(None, (page.page_query.q, as_text(term for term in terms if str(term) not in known))))


def _value(place: FlowPlace) -> str:
    outcome = _outcome_of(place)
    return place.name.removeprefix(ENDS[outcome]) if outcome in ENDS else place.name


def _routes(page: FlowPage, place: FlowPlace) -> str:
    """The routes of a place that is an instance or a database; empty for others."""
    if place.name == REST:
        return ""
    instance, _, database = place.name.partition("/") if place.column == 0 else (place.name, "", "")
    terms = [Term(instance, "instance"), *([Term(database, "database")] if database else [])]
    try:
        return f"{reverse('routes:list')}?{urlencode({**page.viewed.query, 'q': as_text(terms)})}"
    except NoReverseMatch:
        return ""
