"""Contents of the page: the table, its figure, and where every field leads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from os.path import commonprefix
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from brokerui.analysis.reachability.caveats import Caveats, Pair, caveats_of
from brokerui.analysis.reachability.changed_pairs import base_pairs_of, changed_pairs
from brokerui.analysis.reachability.matrix import Matrix
from brokerui.analysis.reachability.selectors import KnownPairs, kept_under, known_of, names_of
from brokerui.changes.estate_view import EstateView
from brokerui.core.cache import LruCache
from brokerui.drawing.charts.look import CHANGED, SIGNS, UNNAMED, Figure, plain, short
from brokerui.drawing.charts.matrix import Field, matrix_figure
from brokerui.pages.reachability.axes import MOST, AxisGroup, origin_groups, origins, service_groups, services
from brokerui.pages.reachability.counting import Counts, PairCounts, table_of, worst
from brokerui.pages.reachability.query import ALL, NAMED, SHOWN, VERDICTS, ReachabilityQuery
from brokerui.pages.reachability.wording import HANGS, LOCAL, WORDS
from routing.classes.reachability import entry_points
from routing.common.sentence import translator

translate = translator(gettext, ngettext)
CAVEAT = "?"
"""Beside the sign of a pair that has a caveat."""
WORTH = 6
"""Letters that are worth to be left out."""


@dataclass(frozen=True)
class ReachabilityPage:
    """The part of the matrix that a page query asks for."""

    viewed: EstateView
    page_query: ReachabilityQuery
    known: KnownPairs
    table: PairCounts
    """With the pairs of every verdict."""
    shown: PairCounts
    """With those of the one that is asked for."""
    named: bool
    """Whether it is only about pairs that a route names."""
    of_rows: int
    """Origins in all, before they were grouped."""
    of_columns: int
    caveats: Caveats
    changed: dict[tuple[int, int], str] | None = None
    """Of a draft: the pairs that it changes, with their verdicts before; None: they are not compared."""

    @cached_property
    def changed_fields(self) -> dict[tuple[int, int], list[str]]:
        """The verdicts before, of the pairs that the draft changes, by field."""
        row_of = {node: row for row, group in enumerate(self.shown.rows) for node in group.members}
        column_of = {name: column for column, group in enumerate(self.shown.columns) for name in group.members}
        found: dict[tuple[int, int], list[str]] = {}
        for (node, name), verdict in (self.changed or {}).items():
            if node in row_of and name in column_of:
                found.setdefault((row_of[node], column_of[name]), []).append(verdict)
        return found

    @property
    def counts(self) -> list[tuple[str, str, str, int, str, bool]]:
        """Verdicts that occur: name, sign, word, pairs, the query that shows only them, whether it is this one."""
        totals, chosen = self.table.totals, self.page_query.verdict
        return [
            (v, SIGNS[v], word(v), totals[v], self._only("" if v == chosen else v), v == chosen)
            for v in (*VERDICTS, UNNAMED)
            if totals[v]
        ]

    def _only(self, verdict: str) -> str:
        return self.page_query.but(verdict=verdict).query(self.viewed.query)


KEPT = 8
_pages: LruCache[ReachabilityPage] = LruCache(KEPT)


def word(verdict: str) -> str:
    return WORDS[verdict].render(translate)


def page_of(viewed: EstateView, page_query: ReachabilityQuery) -> ReachabilityPage:
    """Everything on the page. Raises `UnknownOriginError`."""
    nodes = tuple(entry_points(viewed.estate))
    rows = origins(viewed.estate, nodes, page_query)
    all_names = names_of(viewed)
    wanted = [all_names[number] for number in services(all_names, page_query)]
    known = known_of(viewed, wanted)
    kept = kept_under(viewed, known)
    if kept is None:
        return _page(viewed, page_query, known, rows, wanted)
    return _pages.get_or_make((kept, page_query), lambda: _page(viewed, page_query, known, rows, wanted))


def _page(
    viewed: EstateView, query: ReachabilityQuery, known: KnownPairs, rows: list[int], wanted: list[str]
) -> ReachabilityPage:
    columns = _numbers(known.matrix, wanted)
    named = is_named(query, len(rows), len(wanted))
    nodes, names = known.matrix.nodes, known.matrix.names
    groups = origin_groups(viewed.estate, nodes, rows), service_groups(names, columns)
    table = table_of(known.matrix, *groups, named=named)
    shown = table.only(query.verdict) if query.verdict else table
    shown_rows = set(rows)
    pairs = {(node, name) for name in columns for node in known.matrix.named[name] if node in shown_rows}
    caveats = caveats_of(known.matrix, viewed.estate, viewed.at(), pairs)
    before = base_pairs_of(viewed, known)
    changed = changed_pairs(before, known.matrix, rows, columns) if before is not None else None
    return ReachabilityPage(viewed, query, known, table, shown, named, len(rows), len(columns), caveats, changed)


def _numbers(matrix: Matrix, names: list[str]) -> list[int]:
    number = {name: at for at, name in enumerate(matrix.names)}
    return [number[name] for name in names if name in number]


def is_named(page_query: ReachabilityQuery, rows: int, columns: int) -> bool:
    """If there are too many pairs to see each, unintended ones hide the others."""
    if page_query.pairs:
        return page_query.pairs == NAMED
    return rows > MOST or columns > MOST


def pairs_of(page_query: ReachabilityQuery, *, named: bool) -> str:
    """As the form has it."""
    return page_query.pairs or (NAMED if named else ALL)


# -- Fields ------------------------------------------------------------------------------------------------


def link_of(page: ReachabilityPage, origin: AxisGroup, service: AxisGroup) -> str:
    """Where the field of one origin and one service leads: to the explanation of the pair."""
    query = {**page.viewed.query, "from": origin.first, "to": service.first}
    return f"{reverse('where:where')}?{urlencode(query)}"


def pair_of(page: ReachabilityPage, place: tuple[int, int]) -> Pair | None:
    """The pair of a field that has one alone."""
    row, column = page.shown.rows[place[0]], page.shown.columns[place[1]]
    return (row.members[0], column.members[0]) if len(row.members) == len(column.members) == 1 else None


def caveat_of(page: ReachabilityPage, place: tuple[int, int]) -> str:
    """The caveat of a field: an unknown fact, or an address of the sender's own machine; empty without one."""
    pair = pair_of(page, place)
    if pair in page.caveats.hanging:
        return HANGS.render(translate)
    return LOCAL.render(translate) if pair in page.caveats.local else ""


def change_of(page: ReachabilityPage, place: tuple[int, int]) -> str:
    """Say that the draft changes a field, and how its pair ended before; empty where the draft does not change it."""
    before = page.changed_fields.get(place)
    if before is None:
        return ""
    pairs = page.shown.fields[place].total() if place in page.shown.fields else 0
    if pairs > 1:
        number = len(before)
        return ngettext("%(n)s pair changed by the draft", "%(n)s pairs changed by the draft", number) % {"n": number}
    if not before[0]:
        return gettext("added by the draft")
    return gettext("changed by the draft; before: %(verdict)s") % {"verdict": word(before[0])}


def figure_of(page: ReachabilityPage) -> Figure:
    """The table as a chart."""
    table = page.shown
    words = {verdict: word(verdict) for verdict in SHOWN}
    rows = [group.label for group in table.rows]
    shared = shared_beginning(table.columns)
    columns = [group.label.replace(shared, "") if shared else group.label for group in table.columns]
    labels = [plain(short(label)) for label in rows], [plain(short(label)) for label in columns]
    fields = [
        Field(
            row,
            column,
            worst(counts),
            _tells(labels[0][row], labels[1][column], counts, words, caveat_of(page, (row, column)))
            + _change_line(page, (row, column)),
            _id(row, column),
            is_changed=(row, column) in page.changed_fields,
        )
        for (row, column), counts in table.fields.items()
    ]
    return matrix_figure(rows, columns, fields, words, f"{shared}…" if shared else "")


def shared_beginning(groups: Sequence[AxisGroup]) -> str:
    """The common prefix of all names, up to a slash: it is shown once, not above every column."""
    ends = [name for group in groups for name in (group.first, group.last)]
    beginning = commonprefix(ends)  # noqa: RUF071 - names, whose last slash is looked for below
    beginning = beginning[: beginning.rfind("/") + 1]
    return beginning if len(groups) > 1 and len(beginning) >= WORTH else ""


def _tells(row: str, column: str, counts: Counts, words: dict[str, str], caveat: str) -> str:
    if counts.total() == 1:
        beside = f"<br>{caveat}" if caveat else ""
        return f"{row} → {column}<br>{SIGNS[worst(counts)]} {words[worst(counts)]}{beside}"
    lines = (f"{SIGNS[v]} {counts[v]:,} {words[v]}" for v in reversed(SHOWN) if counts[v])
    return "<br>".join((f"{row} → {column}", *lines))


def _change_line(page: ReachabilityPage, place: tuple[int, int]) -> str:
    change = change_of(page, place)
    return f"<br>{CHANGED} {change}" if change else ""


def _id(row: int, column: int) -> str:
    return f"f{row}-{column}"


# -- The twin ----------------------------------------------------------------------------------------------


def heads_of(page: ReachabilityPage) -> list[tuple[str, str, str]]:
    """The columns: label, the whole of it, and the query that shows this one alone.

    A field of groups leads nowhere itself: one goes into its row and then into its column, or, in the chart, into both.
    """
    shared = shared_beginning(page.shown.columns)
    return [
        (
            short(group.label.replace(shared, "…") if shared else group.label),
            group.label,
            _alone(page, "service", group),
        )
        for group in page.shown.columns
    ]


def lines_of(page: ReachabilityPage) -> Iterator[tuple[str, str, list[SafeString]]]:
    """The rows: label, the query that shows this one alone, and the cells."""
    table = page.shown
    sign = cache(_sign)  # one of a few: made once for thousands of cells
    for row, group in enumerate(table.rows):
        cells = [_cell(page, row, column, sign) for column in range(len(table.columns))]
        yield group.label, _alone(page, "origin", group), cells


def _alone(page: ReachabilityPage, side: str, group: AxisGroup) -> str:
    only = page.page_query.but(**{f"{side}_from": group.first, f"{side}_to": group.last})
    return f"?{only.query(page.viewed.query)}"


def _cell(page: ReachabilityPage, row: int, column: int, sign_of: Callable[[str, str], SafeString]) -> SafeString:
    counts = page.shown.fields.get((row, column))
    if counts is None:
        return SafeString("")
    verdict, pairs = worst(counts), counts.total()
    sign = sign_of(verdict, caveat_of(page, (row, column))) + _mark(change_of(page, (row, column)))
    if pairs > 1:
        return format_html("{} {}", sign, f"{counts[verdict]:,}/{pairs:,}")
    origin, service = page.shown.rows[row], page.shown.columns[column]
    if not (origin.is_single and service.is_single):
        return sign
    return format_html('<a id="{}" href="{}">{}</a>', _id(row, column), link_of(page, origin, service), sign)


def _mark(change: str) -> SafeString:
    if not change:
        return SafeString("")
    return format_html('<span class="draft-mark" role="img" aria-label="{0}" title="{0}">{1}</span>', change, CHANGED)


def _sign(verdict: str, caveat: str) -> SafeString:
    label = f"{word(verdict)}: {caveat}" if caveat else word(verdict)
    return format_html(
        '<span class="sign {}" role="img" aria-label="{}" title="{}">{}{}</span>',
        verdict,
        label,
        label,
        SIGNS[verdict],
        CAVEAT if caveat else "",
    )
