"""Finds placeholders of templates that were not filled in, in the names and texts of a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from routing.tsql.statement import Statement

_PLACEHOLDER = re.compile(
    r"[$#]?\{\{?\s*[\w.-]{0,40}\s*\}\}?|%[A-Za-z_]\w{0,40}%|@@[A-Za-z_]\w{0,40}@@"
    r"|<[A-Za-z_][\w .-]{0,40}>|__[A-Za-z][A-Za-z0-9_]{0,40}?__"
)
_IDENTIFIER = re.compile(r"\{[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}")


def placeholders_in(statement: Statement) -> list[str]:
    """Every placeholder in a statement, once, as written."""
    texts = (*statement.name, *(value for value in statement.clauses.values() if isinstance(value, str)))
    return list(dict.fromkeys(one for text in texts for one in placeholders_of(text)))


def placeholders_of(text: str) -> Iterator[str]:
    """Every placeholder in a text, as written."""
    for match in _PLACEHOLDER.finditer(text):
        if not _IDENTIFIER.fullmatch(match[0]):
            yield match[0]
