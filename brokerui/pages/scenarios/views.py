"""The page of scenarios: open one, give one, take one back."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.http import require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.core.errors import one_file_only
from brokerui.estate.scenarios.errors import ScenarioNotFoundError, ScenarioNotReadableError
from brokerui.estate.scenarios.models import Scenario
from brokerui.estate.scenarios.selectors import scenario_document, scenario_list
from brokerui.estate.scenarios.services import scenario_delete, scenario_ready, scenario_take
from brokerui.pages.scenarios.forms import UploadForm
from routing.common.errors import InputError

QUESTION = ("from", "to", "broker", "reply")
"""The parameters of the page *Where does it go?*."""


@method_decorator(access(write=Level.OPERATE), name="dispatch")
class ScenarioList(View):
    """All scenarios, and the form for one's own."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show them."""
        return _page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Store an uploaded document and open it, or show its errors."""
        if len(request.FILES.getlist("document")) > 1:
            return one_file_only(request)
        form = UploadForm(request.POST, request.FILES)
        if not form.is_valid():
            return _page(request, problem={"text": str(form.errors["document"][0])})
        file, author = form.cleaned_data["document"], request.user.get_username()
        try:
            scenario, gone = scenario_take(title=file.name, text=file.read(), author=author)
        except InputError as error:
            text = error.problem.render(_)
            return _page(request, problem={"where": file.name, "path": error.path, "text": text})
        if gone:
            messages.info(request, _("Deleted to make room: %(titles)s.") % {"titles": ", ".join(gone)})
        return redirect(opening_url(scenario))


@require_safe
def scenario_open(request: HttpRequest, name: str) -> HttpResponse:
    """Open a scenario, which may not have been read yet, with the question that was sent along; or show what is
    wrong."""
    try:
        scenario_ready(name=name)
    except ScenarioNotFoundError as error:
        raise Http404 from error
    except ScenarioNotReadableError as error:
        text = error.problem.render(_)
        return _page(request, problem={"where": error.title, "path": error.path, "text": text})
    return redirect(scenario_url(name, {key: request.GET[key] for key in QUESTION if request.GET.get(key)}))


@require_safe
def scenario_download(request: HttpRequest, name: str) -> HttpResponse:
    """The document, as it was given."""
    try:
        document = scenario_document(name)
    except ScenarioNotFoundError as error:
        raise Http404 from error
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"', "Cache-Control": "private, no-cache"}
    return HttpResponse(document, content_type="application/json", headers=headers)


@access(write=Level.OPERATE)
@require_POST
def scenario_remove(request: HttpRequest, name: str) -> HttpResponse:
    """Delete a document that a user gave."""
    try:
        title = scenario_delete(name=name, author=request.user.get_username())
    except ScenarioNotFoundError as error:
        raise Http404 from error
    messages.success(request, _("Deleted: %(title)s.") % {"title": title})
    return redirect("scenarios:list")


def opening_url(scenario: Scenario, question: Mapping[str, str] | None = None) -> str:
    """Where one is opened that was just given: it may have to be read first."""
    if scenario.is_read:
        return scenario_url(scenario.name, question)
    page = reverse("scenarios:open", args=[scenario.name])
    return f"{page}?{urlencode(question)}" if question else page


def scenario_url(name: str, question: Mapping[str, str] | None = None) -> str:
    """Where a scenario is looked at: the first question one asks of an estate."""
    try:
        page = reverse("where:where")
    except NoReverseMatch:
        page = reverse("scenarios:list")
    return f"{page}?{urlencode({'scenario': name, **(question or {})})}"


def _page(request: HttpRequest, *, problem: dict[str, str] | None = None) -> HttpResponse:
    scenarios = scenario_list()
    context: dict[str, Any] = {
        "examples": [_row(info) for info in scenarios if info.is_example],
        "uploads": [_row(info) for info in scenarios if not info.is_example],
        "chosen": request.GET.get("scenario"),
        "problem": problem,
        "keep": settings.SCENARIO_KEEP,
        "max_bytes": settings.SCENARIO_MAX_BYTES,
    }
    return render(request, "scenarios/list.html", context, status=422 if problem else 200)


def _row(info: Any) -> dict[str, Any]:
    return {"info": info, "url": scenario_url(info.name)}
