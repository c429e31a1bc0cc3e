"""Where a finding is, as links: `{% load findings %}`."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse

from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.remedies.viewed_offers import offers_for
from brokerui.changes.estate_view import EstateView
from brokerui.core.filters import Term, as_text
from brokerui.estate import refs
from brokerui.pages.findings.finding_ids import token
from brokerui.pages.findings.listing import TITLES
from routing.common.sentence import Sentence

register = template.Library()
register.filter("token", token)


@register.filter
def title_of(found: StoredFinding) -> Sentence:
    """Return the title of its code."""
    return TITLES[found.code]


@register.inclusion_tag("findings/_remedy.html", takes_context=True)
def remedy(context: Context, found: StoredFinding, viewed: EstateView) -> dict[str, object]:
    """The remedy of a finding, tried on a copy of the estate, with what it does. Its requests have a second for it."""
    request = context["request"]
    known = getattr(request, "remedy_offers", None)
    if known is None:
        known = request.remedy_offers = offers_for(viewed)
    return {"offer": known(found), "finding": found, **{name: context.get(name) for name in ("access", "viewed")}}


@register.inclusion_tag("findings/_place.html")
def place(found: StoredFinding, viewed: Mapping[str, str] | None = None) -> dict[str, object]:
    """Instance, database and object, each with the page that shows it."""
    viewed = viewed or {}
    parts = []
    if found.instance is not None:
        parts.append((found.instance, _map(refs.instance_ref(found.instance), viewed)))
    if found.instance is not None and found.database is not None:
        parts.append((found.database, _table(found.instance, found.database, viewed)))
    if found.object is not None and not found.is_about_the_whole:
        parts.append((found.object, _object(found, viewed)))
    return {"parts": parts}


def _map(ref: refs.Ref, viewed: Mapping[str, str]) -> str:
    return f"{reverse('map:map')}?{urlencode({**viewed, 'select': str(ref)})}"


def _table(instance: str, database: str, viewed: Mapping[str, str], **more: str) -> str:
    text = as_text((Term(instance, "instance"), Term(database, "database")))
    return f"{reverse('routes:list')}?{urlencode({**viewed, 'q': text, **more})}"


def _object(found: StoredFinding, viewed: Mapping[str, str]) -> str:
    """A route stands in the table; for other objects there is no page."""
    if not found.is_about_a_route:
        return ""
    select = refs.route(str(found.instance), str(found.database), str(found.object))
    return _table(str(found.instance), str(found.database), viewed, select=str(select))
