"""Importing: choose files, say what they are, look at what they would change, apply them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.effect.consent import ConsentMissingError
from brokerui.analysis.imports.errors import ImportStaleError, ImportStateError, PreviewNamelessError
from brokerui.analysis.imports.labels import KINDS, MODE_HINTS, MODES
from brokerui.analysis.imports.models import ImportRun, ImportState
from brokerui.analysis.imports.presenter import ImportPresenter
from brokerui.analysis.imports.selectors import (
    freshness_page,
    result_document,
    result_rows,
    run_get,
    run_list,
    stale_count,
)
from brokerui.analysis.imports.services import (
    run_again,
    run_apply,
    run_assign,
    run_create,
    run_discard,
    run_go,
)
from brokerui.analysis.imports.sources import Mode
from brokerui.core.htmx import htmx_of
from brokerui.core.paging import page_number
from brokerui.estate.scenarios.services import scenario_take
from brokerui.pages.imports.exporting import csv_response
from brokerui.pages.imports.forms import Assigning, given_of, token_of, upload_problem
from brokerui.pages.scenarios.views import QUESTION, opening_url
from routing.catalog.script import collect_script

CSV = ("changes", "findings", "groups")
NOTE = 500
"""Characters."""


@method_decorator(access(write=Level.EDIT), name="dispatch")
class Start(View):
    """How fresh the estate is, the imports so far, and the form for the next one."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show them."""
        return _start(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Take files in."""
        files = request.FILES.getlist("files")
        problem = upload_problem(files)
        if problem:
            return _start(request, problem)
        token = token_of(request.POST) or uuid4().hex
        run = run_create(given=given_of(files), author=request.user.get_username(), token=token)
        return _to(run)


def _start(request: HttpRequest, problem: str = "") -> HttpResponse:
    fresh = freshness_page(page_number(request.GET.get("page", "")))
    context: dict[str, Any] = {
        "fresh": fresh,
        "stale": stale_count(fresh),
        "stale_days": settings.ESTATE_STALE_DAYS,
        "runs": [ImportPresenter(run, list(run.files.all())) for run in run_list()],
        "problem": problem,
        "token": uuid4().hex,
        "max_bytes": settings.SCENARIO_MAX_BYTES,
        "max_files": settings.IMPORT_MAX_FILES,
    }
    return render(request, "imports/start.html", context, status=422 if problem else 200)


@require_safe
def collecting_script(request: HttpRequest) -> HttpResponse:
    """The script that collects the catalog of an instance."""
    headers = {"Content-Disposition": 'attachment; filename="collect.sql"'}
    return HttpResponse(collect_script(), content_type="application/sql; charset=utf-8", headers=headers)


@require_safe
@vary_on_headers("HX-Request")
def run_page(request: HttpRequest, run_id: int) -> HttpResponse:
    """An import; asked by htmx while something is being done: how far that is."""
    run = _run(run_id)
    if htmx_of(request):
        shown = ImportPresenter(run)
        return (
            render(request, "imports/_progress.html", {"shown": shown}) if shown.is_due else HttpResponseClientRefresh()
        )
    return _page(request, run)


def _page(
    request: HttpRequest, run: ImportRun, form: Assigning | None = None, *, is_missing: bool = False
) -> HttpResponse:
    files = form.files if form else list(run.files.defer("content"))
    context = {
        "shown": ImportPresenter(run, files),
        "form": form or Assigning(files, Mode(run.mode or Mode.INSTANCES), variables=run.variables),
        "kinds": KINDS.items(),
        "modes": [(mode, title, MODE_HINTS[mode]) for mode, title in MODES.items()],
        "note_length": NOTE,
        "is_missing": is_missing,
    }
    return render(request, "imports/run.html", context, status=422 if form or is_missing else 200)


@access(write=Level.EDIT)
@require_POST
def run_preview(request: HttpRequest, run_id: int) -> HttpResponse:
    """Take the fields about the files, and read them."""
    run = _run(run_id)
    files = list(run.files.defer("content"))
    form = Assigning.of(files, request.POST.dict(), ImportPresenter(run, files).likely)
    if form.faults:
        return _page(request, run, form)
    author = request.user.get_username()

    def assign() -> ImportRun:
        return run_assign(
            run=run, assignments=form.assignments, mode=form.mode, author=author, variables=form.variables
        )

    return _done(request, run, assign)


@access(write=Level.EDIT)
@require_POST
def run_preview_again(request: HttpRequest, run_id: int) -> HttpResponse:
    """Read the files again, on the estate as it is now."""
    run, author = _run(run_id), request.user.get_username()
    return _done(request, run, lambda: run_again(run=run, author=author))


@access(write=Level.EDIT)
@require_POST
def run_apply_it(request: HttpRequest, run_id: int) -> HttpResponse:
    """Apply the previewed estate as the next version."""
    run, note = _run(run_id), request.POST.get("note", "").strip()[:NOTE]
    author, consent = request.user.get_username(), request.POST.get("consent", "")
    try:
        return _done(request, run, lambda: run_apply(run=run, author=author, note=note, consent=consent))
    except ConsentMissingError:
        return _page(request, run, is_missing=True)


@access(write=Level.EDIT)
@require_POST
def run_discard_it(request: HttpRequest, run_id: int) -> HttpResponse:
    """Forget the files."""
    run = _run(run_id)
    try:
        run_discard(run=run, author=request.user.get_username())
    except ImportStateError:
        messages.warning(request, _("It is too late to discard this import."))
        return _to(run)
    messages.success(request, _("Discarded. Nothing of these files was applied."))
    return redirect("imports:start")


def _done(request: HttpRequest, run: ImportRun, write: Any) -> HttpResponse:
    """Take a step of an import; a step that does not fit its state is answered with the reason."""
    try:
        run = write()
        if run.state in (ImportState.READING, ImportState.APPLYING) and not run.is_claimed:
            run_go(run)
    except ImportStaleError:
        messages.warning(request, _("The estate changed since this was previewed. Nothing was applied."))
    except PreviewNamelessError:
        messages.warning(request, _("An earlier release made this preview. Nothing was applied; preview it again."))
    except ImportStateError:
        messages.warning(request, _("This import has changed since you saw it. Nothing was done."))
    return _to(run)


@require_safe
def run_csv(request: HttpRequest, run_id: int, name: str) -> StreamingHttpResponse:
    """All rows of a preview."""
    if name not in CSV:
        raise Http404
    return csv_response(name, result_rows(_run(run_id), name))


@require_safe
def run_document(request: HttpRequest, run_id: int) -> HttpResponse:
    """The estate that the files would make."""
    headers = {"Content-Disposition": f'attachment; filename="import-{run_id}.json"'}
    return HttpResponse(_document(_run(run_id)), content_type="application/json", headers=headers)


@access(write=Level.OPERATE)
@require_POST
def run_scenario(request: HttpRequest, run_id: int) -> HttpResponse:
    """Open the estate that the files would make as a scenario, and ask it the question that was sent along."""
    run = _run(run_id)
    scenario, _gone = scenario_take(title=f"import-{run.pk}", text=_document(run), author=request.user.get_username())
    parameters = {name: request.POST[name] for name in QUESTION if request.POST.get(name)}
    return redirect(opening_url(scenario, parameters))


def _document(run: ImportRun) -> bytes:
    document = result_document(run)
    if document is None:
        raise Http404
    return document


def _run(run_id: int) -> ImportRun:
    run = run_get(run_id)
    if run is None:
        raise Http404
    return run


def _to(run: ImportRun) -> HttpResponse:
    return redirect("imports:run", run.pk)
