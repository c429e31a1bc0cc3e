"""Edits drawn on the map without a form of their own: a user drops things, or moves a service elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.changes import services
from brokerui.changes.edit_sql import InstanceSql, edits_as_sql
from brokerui.changes.edit_wording import edits_in_words
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_estate
from brokerui.core.errors import ObjectNotFoundError
from brokerui.core.htmx import wants_piece
from brokerui.estate.edit_list import apply_edit_list
from brokerui.estate.refs import DATABASE, INSTANCE, ROUTE, Ref, read_ref
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, after_write, refusal, revision_sent, status_of
from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say
from routing.documents.edits_json import edits_as_json
from routing.model.edits import DropDatabase, DropInstance, DropRoute, DropService, PutService
from routing.model.estate import Database, Edit, Estate

MAX_DROPPED = 500
"""Things that one gesture drops."""
INNERMOST_FIRST = (ROUTE, DATABASE, INSTANCE)


@dataclass(frozen=True)
class DrawnEdits:
    """The edits of a gesture, as the panel shows them."""

    draft: SavedDraft
    edits: tuple[Edit, ...] | None
    """None: the draft cannot take them."""
    at: datetime
    fault: str = ""
    is_new = True

    @property
    def edits_json(self) -> str:
        """The edits as the line of effect takes them."""
        return json.dumps(edits_as_json(self.edits or ()))

    @cached_property
    def words(self) -> list[tuple[str, Sentence]]:
        """Kind and sentence of each edit."""
        return list(edits_in_words(draft_estate(self.draft).estate, self.edits or ()))

    @cached_property
    def sql(self) -> tuple[InstanceSql, ...]:
        return edits_as_sql(draft_estate(self.draft).estate, self.edits, self.at) if self.edits else ()


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def drawn(request: HttpRequest, number: int) -> HttpResponse:
    """Show what a gesture on the map would add to the draft; POST adds it."""
    draft = draft_of(request, number)
    panel = _drawn(draft, request.GET)
    if request.method == "POST" and panel.edits is not None:
        return _add(request, draft, panel)
    return _page(request, panel, status=422 if request.method == "POST" else 200)


def _drawn(draft: SavedDraft, query: QueryDict) -> DrawnEdits:
    estate, at = draft_estate(draft).estate, timezone.now().replace(microsecond=0)
    edits = tuple(_edits(estate, query))
    if not edits:
        return DrawnEdits(draft, None, at, _("Nothing of this draft was selected: there is nothing to drop."))
    try:
        apply_edit_list(estate, edits)
    except Invalid as error:
        return DrawnEdits(draft, None, at, refusal(error))
    return DrawnEdits(draft, edits, at)


def _add(request: HttpRequest, draft: SavedDraft, panel: DrawnEdits) -> HttpResponse:
    assert panel.edits is not None
    try:
        author = request.user.get_username()
        written = services.edits_append(
            number=draft.id, revision=revision_sent(request), edits=panel.edits, author=author
        )
    except REFUSALS as error:
        return _page(request, panel, status=status_of(error), refused=refusal(error))
    return after_write(request, written)


def _page(request: HttpRequest, panel: DrawnEdits, *, status: int = 200, refused: str = "") -> HttpResponse:
    context = {
        "panel": panel,
        "draft": panel.draft,
        "refused": refused or panel.fault,
        "query": request.GET.urlencode(),
        "form_template": "changes/_drawn_form.html",
    }
    template = "changes/_drawn_form.html" if wants_piece(request) else "changes/edit_page.html"
    return render(request, template, context, status=status)


# -- What a query asks for -----------------------------------------------------------------------------------
def _edits(estate: Estate, query: QueryDict) -> Iterator[Edit]:
    """Yield the edits: `drop` names things, or `service` moves from the database `from` to the database `to`."""
    service, source, target = (str(query.get(name, "")) for name in ("service", "from", "to"))
    if service:
        yield from _moved(estate, service, source, target)
        return
    refs = [read_ref(text) for text in query.getlist("drop")[:MAX_DROPPED]]
    known = {ref for ref in refs if ref is not None and _exists(estate, ref)}
    yield from map(_drop, _without_nested(known))


def _without_nested(refs: set[Ref]) -> Sequence[Ref]:
    """The things without those that go with a database or an instance among them; routes first."""
    names = {ref.names for ref in refs}
    kept = (ref for ref in refs if not any(ref.names[:count] in names for count in range(1, len(ref.names))))
    return sorted(kept, key=lambda ref: (INNERMOST_FIRST.index(ref.kind), ref.names))


def _exists(estate: Estate, ref: Ref) -> bool:
    if ref.kind not in INNERMOST_FIRST or ref.names[0] not in estate.instances:
        return False
    if ref.kind == INSTANCE:
        return True
    found = estate.instances[ref.names[0]].databases.get(ref.names[1])
    return found is not None and (ref.kind == DATABASE or ref.name in found.table.routes)


def _drop(ref: Ref) -> Edit:
    if ref.kind == INSTANCE:
        return DropInstance(ref.name)
    return DropDatabase(*ref.names) if ref.kind == DATABASE else DropRoute(*ref.names)


def _moved(estate: Estate, name: str, source: str, target: str) -> Iterator[Edit]:
    here, there = _database(estate, source), _database(estate, target)
    found = next((service for service in here[2].services if service.name == name), None)
    if found is None:
        raise ObjectNotFoundError(say("This draft has no such route or database"))
    # A queue of the same name takes it there; without one the queue is not known.
    has_queue = any(queue.name == found.queue for queue in there[2].queues)
    yield DropService(here[0], here[1], name)
    yield PutService(there[0], there[1], found if has_queue else replace(found, queue=None))


def _database(estate: Estate, text: str) -> tuple[str, str, Database]:
    ref = read_ref(text)
    if ref is None or ref.kind != DATABASE or not _exists(estate, ref):
        raise ObjectNotFoundError(say("This draft has no such route or database"))
    instance, name = ref.names
    return instance, name, estate.instances[instance].databases[name]
