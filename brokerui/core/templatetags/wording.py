"""Sentences of the engine in the reader's language: `{% load wording %}`."""

from __future__ import annotations

import re
from datetime import datetime
from html import escape
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from brokerui.core.jobs.kinds import stage_label
from brokerui.core.jobs.models import Job
from brokerui.core.moments import is_utc, moment_words, time_tag
from routing.common.moment import parse_moment
from routing.common.sentence import Sentence, translator

register = template.Library()
MOST_NAMES = 8
"""Names that a list in a sentence shows; the account of a rule has the number of all."""
translate = translator(gettext, ngettext)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_ADDRESS = re.compile(r"tcp://\S+\Z", re.IGNORECASE)
_CODE = re.compile("`([^`]*)`")


@register.filter
def job_stage(job: Job) -> str:
    """Return the step of a running background job; empty where it does not run."""
    return stage_label(job)


@register.filter
def sentence_text(sentence: Sentence | str) -> str:
    """A sentence as plain text; the moments in it are in the zone of the reader."""
    return in_zone(sentence).render(translate) if isinstance(sentence, Sentence) else sentence


@register.filter
def sentence_html(sentence: Sentence | str) -> SafeString:
    """A sentence with its names set off from its words. Everything in it is escaped."""
    return mark_safe(_html(in_zone(sentence)) if isinstance(sentence, Sentence) else escape(str(sentence)))  # noqa: S308 - both escape


def in_zone(sentence: Sentence) -> Sentence:
    """Return a sentence of the engine, which writes UTC, with its moments in the zone of the reader."""
    if is_utc():
        return sentence
    return Sentence(sentence.text, {name: _in_zone(value) for name, value in sentence.values.items()})


def _in_zone(value: Any) -> Any:
    if isinstance(value, Sentence):
        return in_zone(value)
    if isinstance(value, tuple | list):
        return tuple(_in_zone(part) for part in value)
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return moment_words(parse_moment(value), seconds=True)
    return value


def _html(sentence: Sentence) -> str:
    """Return the sentence as HTML; a command between backticks is code."""
    # Braces have no meaning in HTML: the text is escaped before the values, which are HTML already, go in.
    text = _CODE.sub(r"<code>\1</code>", escape(translate(sentence.text)))
    return text.format(**{name: _value_html(value) for name, value in sentence.values.items()})


def _value_html(value: object) -> str:
    if isinstance(value, Sentence):
        return _html(value)
    if isinstance(value, tuple | list):
        shown = [_value_html(part) for part in value[:MOST_NAMES]]
        return ", ".join([*shown, "…"] if len(value) > MOST_NAMES else shown)
    text = escape(str(value))
    if not isinstance(value, str):
        return text
    return f"<code>{text}</code>" if _ADDRESS.match(value) else f"<b>{text}</b>"


@register.simple_tag
def moment(at: datetime) -> SafeString:
    """A moment of the past or future, to the second, with the zone."""
    return time_tag(at, moment_words(at, seconds=True))
