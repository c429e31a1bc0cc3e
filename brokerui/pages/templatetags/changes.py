"""Template tags of the pages of drafts: `{% load changes %}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.utils.functional import Promise
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from brokerui.analysis.effect.held import node_in_words
from brokerui.analysis.effect.kinds import KindWords
from brokerui.analysis.effect.wording import ends_in_words
from brokerui.changes.estate_view import EstateView
from brokerui.changes.selectors import draft_get
from brokerui.estate.refs import Ref
from brokerui.pages.changes.acts import acts_of
from brokerui.pages.changes.draft_panel import DraftPanel
from brokerui.pages.changes.effect_page import KINDS, VERDICTS
from brokerui.pages.changes.remedy import remedy_json
from routing.classes.traffic_class import Node
from routing.common.sentence import Sentence
from routing.diff.result import Outcomes

register = template.Library()
_PART = re.compile(
    r"(?P<comment>--.*)|(?P<text>N?'(?:[^']|'')*')|(?P<name>\[(?:[^\]]|\]\])*\])|(?P<word>\b[A-Z_]{2,}\b)"
)
_TAGS = {"comment": "u", "text": "em", "word": "b"}


@register.filter
def sql_marked(line: str) -> SafeString:
    """A line of T-SQL with its words, texts and comments set off."""
    parts: list[SafeString] = []
    place = 0
    for part in _PART.finditer(line):
        parts.append(escape(line[place : part.start()]))
        tag = _TAGS.get(part.lastgroup or "")
        parts.append(format_html("<{0}>{1}</{0}>", mark_safe(tag), part[0]) if tag else escape(part[0]))  # noqa: S308 - one of three words of this module
        place = part.end()
    parts.append(escape(line[place:]))
    return SafeString("".join(parts))


@register.filter
def ends(outcomes: Outcomes) -> Sentence:
    """Say where a conversation ends."""
    return ends_in_words(outcomes)


@register.filter
def entry_name(node: Node) -> Sentence:
    """Say where a conversation begins."""
    return node_in_words(node)


@register.inclusion_tag("changes/_remedy_button.html", takes_context=True)
def remedy_button(context: Context, instance: str, sql: str, about: str) -> dict[str, object]:
    """The button that makes a draft of a remedy; empty for readers, and on pages of estates that take no edits."""
    viewed, access = context.get("viewed"), context.get("access")
    is_in_draft = viewed is not None and viewed.draft is not None
    takes_edits = viewed is None or viewed.is_editable or (is_in_draft and viewed.draft.is_open)
    if not takes_edits or not getattr(access, "edit", False):
        return {}
    return {"remedy": remedy_json(instance, sql, about), "about": about, "is_in_draft": is_in_draft}


@register.filter
def verdict_word(kind: KindWords) -> Promise:
    """Whether conversations end better, worse, or elsewhere."""
    return VERDICTS[kind.verdict]


@register.filter
def change_word(kind: KindWords) -> Promise:
    """The finer kind of the change in words."""
    return KINDS[kind.change]


@register.filter
def query(values: Mapping[str, str]) -> str:
    """Values as the query of an address."""
    return urlencode(values)


@register.inclusion_tag("changes/_panel_draft.html", takes_context=True)
def draft_panel(context: Context, viewed: EstateView) -> dict[str, object]:
    """The edits of the draft that a page looks at, and the findings that remain."""
    info = viewed.draft
    assert info is not None
    return {**_shared(context), "panel": DraftPanel(draft_get(info.id)), "draft": info, "viewed": viewed}


@register.inclusion_tag("changes/_acts.html", takes_context=True)
def draft_acts(context: Context, viewed: EstateView, ref: Ref) -> dict[str, object]:
    """The switches of a selected thing of a draft, and what can be added there or dropped."""
    more = {"acts": acts_of(viewed.estate, ref), "draft": viewed.draft, "ref": ref, "select": str(ref)}
    return {**_shared(context), **more, "place": "/".join(ref.names[:2])}


def _shared(context: Context) -> dict[str, object]:
    """Return the values of every page's template."""
    return {name: context.get(name) for name in ("access", "csrf_token", "request")}
