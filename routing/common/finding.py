"""A finding: one observation of lint or of an import about one object, with its reason and, if any, a remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from routing.common.sentence import Sentence, Translate

ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)
"""Worst first. An error certainly loses or holds back messages; a warning may."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One observation. Its fields are the keys of its JSON object, in their order."""

    code: str
    """The kind of observation, e.g. `shadowed-route`; users suppress and look up findings by it."""
    severity: str
    instance: str | None
    database: str | None
    object: str | None
    """Name of the route, service, queue, endpoint, ..."""
    reason: Sentence
    remedy_sql: str | None = None
    file: str | None = None
    line: int | None = None
    """Line in `file`, counted from 1."""

    def as_json(self, translate: Translate = str) -> dict[str, Any]:
        """Its JSON object, with the reason in the language of `translate`."""
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
