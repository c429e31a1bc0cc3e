"""Sentences of the engine in the reader's language: `{% load wording %}`."""

from __future__ import annotations

import re
from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from brokerui.core.jobs.kinds import stage_label
from brokerui.core.jobs.models import Job
from routing.common.sentence import Sentence, translator

register = template.Library()
MOST_NAMES = 8
"""Names that a list in a sentence shows; the account of a rule has the number of all."""
translate = translator(gettext, ngettext)
_ADDRESS = re.compile(r"tcp://\S+\Z", re.IGNORECASE)


@register.filter
def job_stage(job: Job) -> str:
    """What a running background job does now; empty where it does not run."""
    return stage_label(job)


@register.filter
def sentence_text(sentence: Sentence | str) -> str:
    """A sentence as plain text."""
    return sentence.render(translate) if isinstance(sentence, Sentence) else sentence


@register.filter
def sentence_html(sentence: Sentence | str) -> SafeString:
    """A sentence with its names set off from its words. Everything in it is escaped."""
    if not isinstance(sentence, Sentence):
        return escape(sentence)
    # Braces have no meaning in HTML: the text is escaped before the values, which are HTML already, go in.
    text = escape(translate(sentence.text))
    values = {name: _told_value(value) for name, value in sentence.values.items()}
    return mark_safe(text.format(**values))  # noqa: S308 - its parts are escaped


def _told_value(value: object) -> SafeString:
    if isinstance(value, Sentence):
        return sentence_html(value)
    if isinstance(value, tuple | list):
        shown = [_told_value(part) for part in value[:MOST_NAMES]]
        return mark_safe(", ".join([*shown, "…"] if len(value) > MOST_NAMES else shown))  # noqa: S308 - the same
    text = str(value)
    if not isinstance(value, str):
        return escape(text)
    return format_html("<code>{}</code>" if _ADDRESS.match(text) else "<b>{}</b>", text)


@register.simple_tag
def moment(at: datetime) -> SafeString:
    """A moment of the past or future, in UTC."""
    utc = at.astimezone(timezone.get_default_timezone())
    text = f"{date_format(utc, 'Y-m-d H:i:s')} UTC"
    return format_html('<time datetime="{}">{}</time>', utc.isoformat(timespec="seconds"), text)
