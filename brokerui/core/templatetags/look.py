"""The small pieces that pages are made of: `{% load look %}`."""

from datetime import datetime, timedelta
from typing import Any

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import escape, format_html, format_html_join, json_script
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from brokerui.core.lasting import ONE_UNIT, grows
from brokerui.core.moments import clock_words, day_text, moment_text, moment_words, time_tag

register = template.Library()

# Whole phrases, not words put together: other languages order and inflect them.
CHIPS: dict[tuple[str, str], Promise] = {
    ("delivered", ""): lazy("Delivered"),
    ("delivered", "always"): lazy("Always delivered"),
    ("delivered", "may"): lazy("May be delivered"),
    ("delayed", ""): lazy("Delayed"),
    ("delayed", "always"): lazy("Always delayed"),
    ("delayed", "may"): lazy("May be delayed"),
    ("dropped", ""): lazy("Dropped"),
    ("dropped", "always"): lazy("Always dropped"),
    ("dropped", "may"): lazy("May be dropped"),
    ("exits", ""): lazy("Exits"),
    ("exits", "always"): lazy("Always exits"),
    ("exits", "may"): lazy("May exit"),
}


@register.simple_tag
def chip(outcome: str, certainty: str = "", label: str | Promise = "") -> SafeString:
    """An outcome as word, shape and colour: `{% chip "delivered" "always" %}`.

    `outcome` is delivered, delayed, dropped or exits, or `plain` with a `label` of its own.
    """
    return format_html('<span class="chip {}">{}</span>', outcome, label or CHIPS[outcome, certainty])


@register.simple_tag
def when(moment: datetime) -> SafeString:
    """The age, with the exact time as a tooltip."""
    past = timezone.now() - moment
    grows(past.total_seconds(), ONE_UNIT)
    is_new = past < timedelta(minutes=1)
    ago = _("just now") if is_new else _("%(duration)s ago") % {"duration": timesince(moment, depth=1)}
    return time_tag(moment, ago)


@register.simple_tag
def moment_short(at: datetime, *, seconds: bool = False) -> SafeString:
    """A day with its time, in the zone that the page names; the tooltip has the zone."""
    return time_tag(at, moment_text(at, seconds=seconds))


@register.filter
def moment_words_s(at: datetime) -> str:
    """A day with its time to the second, and the zone."""
    return moment_words(at, seconds=True)


register.filter("moment_words", moment_words)
register.filter("clock_words", clock_words)
register.filter("day_text", day_text)


@register.filter
def figure(number: int) -> str:
    """A number with its thousands set apart, as the reader's language does."""
    return number_format(number, force_grouping=True)


@register.filter
def breakable(name: str, behind: str = "/") -> SafeString:
    """A name that a narrow column breaks behind a slash, or another sign, rather than within a word."""
    return format_html_join(format_html("{}<wbr>", behind), "{}", ((part,) for part in name.split(behind)))


@register.filter
def exactly(text: str) -> SafeString:
    """A text with the ends of its lines as they are: a browser reads a bare carriage return as a line feed."""
    return SafeString(escape(text).replace("\r", "&#13;"))


class _Compact(DjangoJSONEncoder):
    """Without room between values, and letters as they are: a figure holds thousands of them."""

    item_separator, key_separator = ",", ":"

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "ensure_ascii": False})


@register.simple_tag
def figure_script(figure: Any, element: str) -> SafeString:
    """A figure as JSON for scripts: `json_script` in few bytes."""
    return json_script(figure, element, _Compact)


@register.inclusion_tag("components/copy.html")
def copy_button(text: str, label: str | Promise = "") -> dict[str, object]:
    """A button that copies `text`; shown where scripts run."""
    return {"text": text, "label": label or _("Copy")}
