"""The page of a code: what it means, an example, the remedy; from the documentation, as it stands in `docs/`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from brokerui.core.home import CHECKOUT
from routing.lint.registry import CHECKS

FOLDER = CHECKOUT / "docs" / "reference" / "findings"
CODES = frozenset(check.code for check in CHECKS)
_FENCED = re.compile(r"```\w*\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
Address = Callable[[str], str]


@lru_cache(maxsize=len(CODES))
def source(code: str) -> str | None:
    """The text of a code's page; None where there is none."""
    path = FOLDER / f"{code}.md"
    return path.read_text(encoding="utf-8") if code in CODES and path.exists() else None


def explained(text: str, address: Address) -> SafeString:
    """The text as HTML, without its title. `address` gives the page of another code."""
    body = text.split("\n", 1)[1] if text.startswith("# ") else text
    return mark_safe("\n".join(_blocks(body, address)))  # noqa: S308 - every block is escaped


def _blocks(text: str, address: Address) -> Iterator[SafeString]:
    """Headings, lists, paragraphs, and what stands between fences; no more is written in these pages."""
    place = 0
    for fenced in _FENCED.finditer(text):
        yield from _plain(text[place : fenced.start()], address)
        yield format_html('<pre tabindex="0"><code>{}</code></pre>', fenced[1])
        place = fenced.end()
    yield from _plain(text[place:], address)


def _plain(text: str, address: Address) -> Iterator[SafeString]:
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith("## "):
            yield format_html("<h2>{}</h2>", _line(block.removeprefix("## "), address))
        elif block.startswith("- "):
            items = re.split(r"^- ", block, flags=re.MULTILINE)[1:]
            yield format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((_line(i, address),) for i in items)))
        elif block:
            yield format_html("<p>{}</p>", _line(block, address))


def _line(text: str, address: Address) -> SafeString:
    """Code and links; everything else is text."""
    pieces = _CODE.split(text)
    marked = [
        format_html("<code>{}</code>", piece) if number % 2 else _linked(piece, address)
        for number, piece in enumerate(pieces)
    ]
    return mark_safe("".join(marked))  # noqa: S308 - its parts are escaped


def _linked(text: str, address: Address) -> SafeString:
    pieces = _LINK.split(text)
    html = escape(pieces[0])
    for label, target, rest in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        code = target.removesuffix(".md")
        linked = format_html('<a href="{}">{}</a>', address(code), label) if code in CODES else escape(label)
        html += linked + escape(rest)
    return html
