"""A finding: what lint or an import has to say of one object, with its reason and, where there is one, its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from routing.common.sentence import Sentence, Translate

ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)
"""Worst first. An error loses or holds messages for sure, a warning may."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One observation. Its fields are the keys of its JSON object, in their order."""

    code: str
    """Which kind of observation it is, e.g. `shadowed-route`; users suppress and look up by it."""
    severity: str
    instance: str | None
    database: str | None
    object: str | None
    """The route, service, queue, endpoint, ... by its name."""
    reason: Sentence
    remedy_sql: str | None = None
    file: str | None = None
    line: int | None = None
    """In `file`, from 1."""

    def as_json(self, translate: Translate = str) -> dict[str, Any]:
        """With the reason in the language of `translate`."""
        return {
            "code": self.code,
            "severity": self.severity,
            "instance": self.instance,
            "database": self.database,
            "object": self.object,
            "reason": self.reason.render(translate),
            "remedy_sql": self.remedy_sql,
            "file": self.file,
            "line": self.line,
        }
