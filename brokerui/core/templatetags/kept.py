"""Pieces of pages that are rendered once: `{% load kept %}`."""

from __future__ import annotations

from typing import Final

from django import template
from django.template.base import FilterExpression, Node, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from brokerui.core.cache import LruCache
from brokerui.core.moments import reading

register = template.Library()
MOST: Final = 4_000
"""Pieces that a process keeps: rows of tables, of some kilobytes each."""
FORM_FIELD: Final = "csrfmiddlewaretoken"
_texts: LruCache[tuple[str, ...]] = LruCache(MOST)


class KeptNode(Node):
    """A piece that is the same wherever its values are, for one language and one way to write moments."""

    child_nodelists = ("nodelist",)

    def __init__(self, values: list[FilterExpression], nodelist: NodeList) -> None:
        self.values, self.nodelist = values, nodelist

    def render(self, context: Context) -> SafeString:
        """Return the piece, with the token of this request where it has forms."""
        values = tuple(value.resolve(context) for value in self.values)
        key = (self, get_language(), reading(), *values)
        parts = _texts.get(key) or _texts.put(key, self._parts(context))
        return SafeString(parts[0] if len(parts) == 1 else str(context["csrf_token"]).join(parts))

    def _parts(self, context: Context) -> tuple[str, ...]:
        """Render it, and divide it where the token of the request stands."""
        text = self.nodelist.render(context)
        return tuple(text.split(str(context["csrf_token"]))) if FORM_FIELD in text else (text,)


@register.tag
def kept(parser: Parser, token: Token) -> KeptNode:
    """Keep a piece that depends on nothing but these values: `{% kept row.key is_wide %}…{% endkept %}`.

    The values can be hashed. The age of something is not to be written in it: it would not grow.
    """
    values = [parser.compile_filter(word) for word in token.split_contents()[1:]]
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(values, nodelist)
