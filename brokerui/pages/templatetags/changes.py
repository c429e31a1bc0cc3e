"""What the pages of drafts need besides: `{% load changes %}`."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

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
