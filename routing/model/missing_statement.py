"""A statement of an imported script that could not be applied, such as one that is known only when it runs."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.errors import Invalid
from routing.common.names import check_name
from routing.common.sentence import say

MAX_MISSING_STATEMENTS = 1_000
"""Limit of these statements that an estate keeps of one instance."""
MAX_TEXT_CHARS = 256
_MAX_LINE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class MissingStatement:
    """A statement, as far as it was read."""

    statement: str | None = None
    """Verb and kind, such as CREATE ROUTE; None: a part of the script that could not be read."""
    database: str | None = None
    """The database in which it would run; None: not known, or none."""
    object: str | None = None
    """The name of the object; None: not known."""
    file: str | None = None
    line: int | None = None

    def __post_init__(self) -> None:
        for field in ("statement", "database", "object", "file"):
            if (value := getattr(self, field)) is not None:
                check_name(value, field, MAX_TEXT_CHARS)
        if self.line is not None and not 1 <= self.line <= _MAX_LINE:
            raise Invalid("line", say("must be 1 to {limit}", limit=_MAX_LINE))
