"""The routes of a draft as a table that is edited in place: one step for all that was typed, or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.lint.selectors import findings_for
from brokerui.changes import services
from brokerui.changes.estate_view import EstateView, estate_view_from
from brokerui.changes.marks import marks_of
from brokerui.changes.models import SavedDraft
from brokerui.estate.refs import route as route_ref
from brokerui.pages.changes.edited_rows import CELLS, EditedRow, RowEdits, rows_sent
from brokerui.pages.changes.pasted_rows import NoRowsError, pasted_rows
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, refusal, revision_sent, status_of
from brokerui.pages.routes.examples import EXAMPLES
from brokerui.pages.routes.listing import RouteListing, RoutesQuery
from brokerui.pages.routes.rows import RouteRow, routes_of
from routing.common.sentence import Sentence
from routing.documents.edits_json import edits_as_json

NEW_LINES = 3
"""Empty lines for new rows."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a row."""

    column: str
    value: str
    problem: Sentence | None = None


@dataclass(frozen=True)
class TableRow:
    """A row as the table shows it: as it was sent, else as it is."""

    number: int
    row: RouteRow | None
    """None: a line for a new row."""
    sent: EditedRow | None = None

    @property
    def key(self) -> str:
        return str(route_ref(*self.row.key)) if self.row is not None else ""

    @property
    def problems(self) -> Mapping[str, Sentence]:
        return self.sent.problems if self.sent is not None else {}

    @property
    def cells(self) -> list[Cell]:
        known = dict(zip(("name", "instance", "database", *CELLS), self.row.values(), strict=True)) if self.row else {}
        values = self.sent.cells if self.sent is not None else known
        return [Cell(column, values.get(column) or "", self.problems.get(column)) for column in CELLS]


@dataclass
class RowsPage:
    """The table for one request."""

    draft: SavedDraft
    viewed: EstateView
    page_query: RoutesQuery
    sent: Sequence[EditedRow] = ()
    pasted: str = ""
    paste_place: str = ""
    paste_problems: Sequence[tuple[int, str, Sentence]] = field(default=())
    """Line, column and problem."""

    @cached_property
    def listing(self) -> RouteListing:
        rows, report = routes_of(self.viewed.key, self.viewed.estate), findings_for(self.viewed)
        return RouteListing(self.viewed.query, self.page_query, rows, report, self.viewed.at(), marks_of(self.viewed))

    @cached_property
    def rows(self) -> list[TableRow]:
        """The rows of the page, then lines for new ones."""
        by_key = {(row.place, row.name): row for row in self.sent if not row.is_new}
        shown = [
            TableRow(number, row, by_key.get((f"{row.instance}/{row.database}", row.route.name)))
            for number, row in enumerate(self.listing.page.shown)
        ]
        new = [row for row in self.sent if row.is_new and not row.line]
        lines = [*new, *[None] * max(0, NEW_LINES - len(new))]
        return [*shown, *(TableRow(number, None, sent) for number, sent in enumerate(lines, len(shown)))]


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
def rows(request: HttpRequest, number: int) -> HttpResponse:
    """Show the table; POST writes the rows that differ, those that are pasted, or drops those that are ticked."""
    page = _table(request, number)
    if request.method != "POST":
        return _page(request, page)
    if request.POST.get("action") == "paste":
        return _paste(request, page)
    return _write(request, page, _sent(request, page))


@access(write=Level.VIEW, stores=False)
@require_POST
def rows_preview(request: HttpRequest, number: int) -> HttpResponse:
    """Return what typed rows would change of the draft, or why they cannot be."""
    page = _table(request, number)
    edits = _sent(request, page)
    return render(request, "changes/_rows_preview.html", {"table": page, "edits": _preview(edits)})


def _table(request: HttpRequest, number: int) -> RowsPage:
    draft = draft_of(request, number)
    return RowsPage(draft, estate_view_from({"draft": str(number)}), RoutesQuery.of(request.GET.dict()))


def _sent(request: HttpRequest, page: RowsPage) -> RowEdits:
    post = request.POST.dict()
    action, column = post.get("action", ""), post.get("set-column", "")
    sets = {column: post.get("set-value", "")} if action == "set" and column in CELLS else {}
    page.sent = list(rows_sent(post))
    return RowEdits(page.viewed.estate, page.sent, drops=action == "drop", sets=sets)


def _paste(request: HttpRequest, page: RowsPage) -> HttpResponse:
    page.pasted, page.paste_place = request.POST.get("pasted", ""), request.POST.get("paste-place", "").strip()
    try:
        found = pasted_rows(page.pasted, page.paste_place)
    except NoRowsError as error:
        page.paste_problems = [(0, "", error.problem)]
        return _page(request, page, status=422)
    edits = RowEdits(page.viewed.estate, found, may_replace=True)
    page.paste_problems = [(row.line, column, problem) for row in found for column, problem in row.problems.items()]
    return _write(request, page, edits)


def _write(request: HttpRequest, page: RowsPage, edits: RowEdits) -> HttpResponse:
    if edits.has_problems:
        return _page(request, page, status=422)
    try:
        services.edits_append(
            number=page.draft.id,
            revision=revision_sent(request),
            edits=edits.edits,
            author=request.user.get_username(),
        )
    except REFUSALS as error:
        page.draft = draft_of(request, page.draft.id)
        return _page(request, page, status=status_of(error), refused=refusal(error))
    count = len(edits.edits)
    text = ngettext("%(n)s row was changed in the draft.", "%(n)s rows were changed in the draft.", count)
    messages.success(request, text % {"n": count})
    return redirect(request.get_full_path())


def _page(request: HttpRequest, page: RowsPage, *, status: int = 200, refused: str = "") -> HttpResponse:
    context: dict[str, Any] = {"table": page, "listing": page.listing, "viewed": page.viewed, "draft": page.draft}
    more = {"refused": refused, "examples": EXAMPLES, "filter_url": request.path, "cells": CELLS}
    return render(request, "changes/rows.html", context | more, status=status)


def _preview(edits: RowEdits) -> str:
    """The edits as the line of effect takes them; none while a row cannot be."""
    return json.dumps(edits_as_json(() if edits.has_problems else edits.edits))
