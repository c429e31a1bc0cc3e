"""A finding: one observation of lint or of an import about one object, with its reason and, if any, a remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from routing.common.sentence import Sentence, Translate, bounded

ERROR, WARNING, INFO = "error", "warning", "info"
MAX_NAME_CHARS = 256
"""Characters of a name or value that a finding shows: no name of an estate is longer."""
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

    def __post_init__(self) -> None:
        """Cut names that no server could hold: a hostile script writes one of a million characters."""
        for name in ("instance", "database", "object"):
            value = getattr(self, name)
            if value is not None and len(value) > MAX_NAME_CHARS:
                object.__setattr__(self, name, f"{value[:MAX_NAME_CHARS]}…")
        reason = bounded(self.reason, MAX_NAME_CHARS)
        if reason is not self.reason:
            object.__setattr__(self, "reason", reason)

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
