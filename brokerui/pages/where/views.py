"""Where does it go? One question in the address, one answer on the page."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.analysis.explanations.turns import turns_of
from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.monitoring.held import diagnosis_by_handle, held_like
from brokerui.analysis.remedies.conversation_offers import is_well
from brokerui.analysis.routing_tests.writing import routing_test_text
from brokerui.changes.estate_view import EstateView, estate_view_of
from brokerui.core.htmx import wants_piece
from brokerui.core.templatetags.wording import translate
from brokerui.estate.selectors import live_version
from brokerui.pages.where.answer import answer
from brokerui.pages.where.choices import (
    MAX_OPTIONS,
    QuestionChoices,
    choices_of,
    fitting,
    identifiers_for,
    routes_fitting,
)
from brokerui.pages.where.contradictions import NOTES
from brokerui.pages.where.default_question import default_question
from brokerui.pages.where.draft_change import change_by_draft
from brokerui.pages.where.findings_on_path import MAX_FINDINGS, findings_on_path, kinds_of
from brokerui.pages.where.mending import in_order, mendings
from brokerui.pages.where.question import WhereQuestion, asked_from, command, read
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate


@require_safe
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def where(request: HttpRequest) -> HttpResponse:
    """The page, or for htmx the parts that an answer changes."""
    viewed = estate_view_of(request)
    context = {"viewed": viewed, **_page(request, viewed)}
    fragment = wants_piece(request)
    template = "where/_fragment.html" if fragment else "where/where.html"
    return render(request, template, context, status=400 if context.get("faults") else 200)


@require_safe
@vary_on_headers("HX-Request")
def since(request: HttpRequest) -> HttpResponse:
    """Return since which versions the conversation ends otherwise, from the one that is looked at to the live one."""
    viewed = estate_view_of(request)
    question = _question(request, viewed.estate, viewed.at())
    parsed = read(question, viewed.estate)
    if parsed.conversation is None or viewed.scenario is not None or viewed.draft is not None:
        raise Http404
    first = viewed.version if viewed.as_of else 0
    turns = turns_of(parsed.conversation, first, live_version(), parsed.at or viewed.at())
    context = {"viewed": viewed, "turns": turns, "question_query": question.query({})}
    return render(request, "where/_since.html" if wants_piece(request) else "where/since.html", context)


@require_safe
def options(request: HttpRequest, field: str) -> HttpResponse:
    """Return options for the typed text, in an estate with too many for a page."""
    viewed = estate_view_of(request)
    typed = request.GET.get(field, "")
    if field == "from":
        found = choices_of(viewed.key, viewed.estate).origins(typed)
    elif field == "to":
        found = fitting(choices_of(viewed.key, viewed.estate).services, typed)
    elif field == "route":
        found = routes_fitting(viewed.estate, typed)
    else:
        raise Http404
    return render(request, "where/_options.html", {"options": found})


def _page(request: HttpRequest, viewed: EstateView) -> dict[str, Any]:
    estate, now = viewed.estate, viewed.at()
    catalog = choices_of(viewed.key, estate)
    question = _question(request, estate, now)
    page = {"question": question, "catalog": catalog, **_choices(question, estate, catalog)}
    if catalog.is_empty and question.is_empty:
        return page
    parsed = read(question, estate)
    if parsed.conversation is None:
        return page | {"faults": parsed.faults}
    moment = parsed.at or now
    query = question.asked_at(moment).query(viewed.frozen)
    document = viewed.file
    answered = answer(estate, parsed.conversation, moment, question.get("route"), translate)
    on_path = findings_on_path(answered, parsed.conversation, findings_for(viewed).findings)
    mends = mendings(answered.explanation, estate, on_path)
    found = in_order(mends, on_path)
    count = sum(one.finding is not None for one in mends)
    return page | {
        "answer": answered,
        "of_draft": change_by_draft(viewed, parsed.conversation, answered.words, moment),
        "draft_question": question.query({}),
        "found": found[:MAX_FINDINGS],
        "mends": mends,
        "tried": [one for one in mends if one.offer.is_tried],
        "is_unmended": not mends and not is_well(answered.explanation, estate),
        **_held(request, viewed, parsed.conversation),
        "found_besides": list(enumerate(found[:MAX_FINDINGS], start=1))[count:],
        "found_kinds": kinds_of(found),
        "more_found": max(0, len(found) - MAX_FINDINGS),
        "link": request.build_absolute_uri(f"{reverse('where:where')}?{query}"),
        "command": command(parsed.conversation, moment, document, estate),
        "routing_test": routing_test_text(
            parsed.conversation, estate, answered.explanation.forward.outcomes, parsed.at
        ),
        "document": document,
        "since": question.query(viewed.query) if _has_a_past(viewed) else "",
        "note": NOTES.get(viewed.scenario.name) if viewed.scenario and viewed.scenario.is_example else None,
    }


def _has_a_past(viewed: EstateView) -> bool:
    """Return whether there are versions to compare: of the live estate, more than the first."""
    return viewed.is_live and viewed.draft is None and bool(viewed.as_of or viewed.version > 1)


def _question(request: HttpRequest, estate: Estate, now: datetime) -> WhereQuestion:
    """Return the question of the address; where it has none, one that the estate has an answer to."""
    question = WhereQuestion.of(request.GET.dict()).in_words_of(estate)
    if question.is_empty:
        return WhereQuestion({**default_question(estate, now).values, **question.values})
    return question


def _held(request: HttpRequest, viewed: EstateView, conversation: Conversation) -> dict[str, str]:
    """Return what holds up a conversation: the one whose handle the address names, else a waiting one of the same
    class. Empty unless the request is about the live estate."""
    if not viewed.is_editable:
        return {}
    try:
        handle = UUID(request.GET.get("conversation", ""))
    except ValueError:
        return {"held_like": held_like(conversation)}
    return {"held": diagnosis_by_handle(str(handle)).sentence}


def _own_services(database: Database) -> list[str]:
    """The services that may begin conversations there; those of SQL Server itself at the end."""
    return [service.name for service in (*database.user_services, *database.system_services)][:MAX_OPTIONS]


def _choices(question: WhereQuestion, estate: Estate, catalog: QuestionChoices) -> dict[str, Any]:
    """Return the options of the fields; some depend on the current choice in another field."""
    host, name = asked_from(question, estate, {})
    instance = estate.instances.get(host)
    database = instance.databases.get(name) if instance and name is not None else None
    return {
        "origins": catalog.origins() if catalog.is_large else [],
        "services": fitting(catalog.services, ""),
        "identifiers": identifiers_for(estate, question.get("to")),
        "own_services": [service.name for service in (*database.user_services, *database.system_services)][:200]
        if database
        else [],
        "is_listed": question.get("from") in {value for group in catalog.groups for value in group.values()},
    }
