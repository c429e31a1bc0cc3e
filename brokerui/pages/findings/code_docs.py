"""The page of a code: what it means, an example, the remedy; from the documentation, as it stands in `docs/`.

markdown-it-py reads it. HTML in a text is shown as text, and a link leads to the page of another code or nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from brokerui.core.resources import FINDINGS, resource_folder
from routing.lint.registry import CHECKS

FOLDER = resource_folder(FINDINGS)
CODES = frozenset(check.code for check in CHECKS)
Address = Callable[[str], str]


@lru_cache(maxsize=len(CODES))
def source(code: str) -> str | None:
    """The text of a code's page; None where there is none."""
    path = FOLDER / f"{code}.md"
    return path.read_text(encoding="utf-8") if code in CODES and path.exists() else None


def explained(text: str, address: Address) -> SafeString:
    """The text as HTML, without its title. `address` gives the page of another code."""
    body = text.split("\n", 1)[1] if text.startswith("# ") else text
    tokens = _READER.parse(body)
    for token in tokens:
        if token.children:
            token.children = list(_linked(token.children, address))
    html: str = _READER.renderer.render(tokens, _READER.options, {})
    return mark_safe(html)  # noqa: S308 - the reader escapes all text, and lets no HTML pass


class _CodeRenderer(RendererHTML):
    """Writes a block of code so that the keyboard can scroll it."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return format_html('<pre tabindex="0"><code>{}</code></pre>\n', tokens[idx].content.rstrip("\n"))


_READER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_CodeRenderer).disable(["image", "html_inline"])


def _linked(tokens: list[Token], address: Address) -> Iterator[Token]:
    """Point links at the pages of their codes; of any other link keep the words alone."""
    open_links: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            code = str(token.attrGet("href")).removesuffix(".md")
            open_links.append(code in CODES)
            if code in CODES:
                token.attrs = {"href": address(code)}
        if token.type not in {"link_open", "link_close"} or open_links[-1]:
            yield token
        if token.type == "link_close":
            open_links.pop()
