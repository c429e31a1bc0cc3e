"""Where does it go? One question in the address, one answer on the page."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.explain.answer import answer
from brokerui.explain.catalog import Catalog, catalog_of, fitting, identifiers_for, routes_fitting
from brokerui.explain.contradictions import NOTES
from brokerui.explain.question import Question, asked_from, command, read
from brokerui.explain.starting import first_question
from brokerui.scenarios.errors import ScenarioNotFoundError
from brokerui.scenarios.selectors import ScenarioInfo, scenario_get, scenario_list
from routing.estate import Estate


@require_safe
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def where(request: HttpRequest) -> HttpResponse:
    """The page, or (asked by htmx) what changes on it."""
    scenarios = scenario_list()
    info = _chosen(scenarios, request.GET.get("scenario"))
    if info is None:
        return render(request, "explain/where.html", {"scenarios": []})
    context = {"scenarios": scenarios, "scenario": info, **_page(request, info, scenario_get(info.name))}
    fragment = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    template = "explain/_fragment.html" if fragment else "explain/where.html"
    return render(request, template, context, status=400 if context.get("faults") else 200)


@require_safe
def options(request: HttpRequest, field: str) -> HttpResponse:
    """Options for what was typed so far, of an estate with too many for a page."""
    name = request.GET.get("scenario", "")
    try:
        estate = scenario_get(name)
    except ScenarioNotFoundError as error:
        raise Http404 from error
    typed = request.GET.get(field, "")
    if field == "from":
        found = catalog_of(name, estate).origins(typed)
    elif field == "to":
        found = fitting(catalog_of(name, estate).services, typed)
    elif field == "route":
        found = routes_fitting(estate, typed)
    else:
        raise Http404
    return render(request, "explain/_options.html", {"options": found})


def _chosen(scenarios: list[ScenarioInfo], name: str | None) -> ScenarioInfo | None:
    """The scenario of this name, or the first; None when there is none at all."""
    if not name:
        return scenarios[0] if scenarios else None
    for info in scenarios:
        if info.name == name:
            return info
    raise Http404(name)


def _page(request: HttpRequest, info: ScenarioInfo, estate: Estate) -> dict[str, Any]:
    now = timezone.now().replace(microsecond=0)  # a link or a command that asks again has no more of it
    catalog = catalog_of(info.name, estate)
    question = Question.of(request.GET.dict())
    if question.is_empty:
        question = Question({**first_question(estate, now).values, **question.values})
    page = {"question": question, "catalog": catalog, **_choices(question, estate, catalog)}
    if catalog.is_empty and question.is_empty:
        return page
    asked = read(question, estate)
    if asked.conversation is None:
        return page | {"faults": asked.faults}
    document = f"examples/{info.name}.json" if info.is_example else f"{info.name}.json"
    moment = asked.at or now
    query = question.asked_at(moment).query(info.name)
    return page | {
        "answer": answer(estate, asked.conversation, moment, question.get("route"), gettext),
        "link": request.build_absolute_uri(f"{reverse('explain:where')}?{query}"),
        "command": command(asked.conversation, moment, document, estate),
        "document": document,
        "note": NOTES.get(info.name) if info.is_example else None,
    }


def _choices(question: Question, estate: Estate, catalog: Catalog) -> dict[str, Any]:
    """Options of the fields; those that depend on others, of what is chosen now."""
    host, name = asked_from(question, estate, {})
    instance = estate.instances.get(host)
    database = instance.databases.get(name) if instance and name is not None else None
    return {
        "origins": catalog.origins() if catalog.is_large else [],
        "services": fitting(catalog.services, ""),
        "identifiers": identifiers_for(estate, question.get("to")),
        "own_services": [service.name for service in database.services][:200] if database else [],
        "is_listed": question.get("from") in {value for group in catalog.groups for value in group.values()},
    }
