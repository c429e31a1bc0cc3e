"""Pieces of templates that are rendered once for their values."""

from __future__ import annotations

from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

import pytest
from django.template import Context, Template
from django.utils import translation

from brokerui.core.moments import shown_in

ROW = "{% load kept %}{% kept row.key wide %}{{ row.text }}{% endkept %}"
FORM = (
    "{% load kept %}{% kept 1 %}"
    '<input name="csrfmiddlewaretoken" value="{{ csrf_token }}"> <b>{{ csrf_token }}</b>{% endkept %}'
)


@dataclass
class Row:
    key: object
    rendered: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        self.rendered.append("once")
        return "<text>"


def test_a_piece_is_rendered_once_for_its_values() -> None:
    template, row = Template(ROW), Row(("a", 1))
    texts = [template.render(Context({"row": row, "wide": wide})) for wide in (True, True, False, True)]
    assert texts == ["&lt;text&gt;"] * 4
    assert len(row.rendered) == 2


def test_each_language_zone_and_template_has_a_piece_of_its_own() -> None:
    template, row = Template(ROW), Row("b")
    for language, zone, hours in (("en", "UTC", 24), ("de", "UTC", 24), ("de", "Asia/Tokyo", 24), ("de", "UTC", 12)):
        with translation.override(language), shown_in(ZoneInfo(zone), hours):
            template.render(Context({"row": row}))
    assert len(row.rendered) == 4
    Template(ROW).render(Context({"row": row}))
    assert len(row.rendered) == 5


def test_a_form_has_the_token_of_its_own_request() -> None:
    template = Template(FORM)
    texts = [template.render(Context({"csrf_token": token})) for token in ("one", "two")]
    assert texts[1] == texts[0].replace("one", "two") == '<input name="csrfmiddlewaretoken" value="two"> <b>two</b>'


def test_values_that_cannot_be_told_apart_by_their_hash_are_an_error() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        Template(ROW).render(Context({"row": Row(["a list"])}))
