"""A finding as a text that names it: its code and its place, `CODE/INSTANCE/DATABASE/OBJECT`, percent-encoded."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote

from brokerui.analysis.lint.stored_findings import StoredFinding

Key = tuple[str, str, str, str]
"""Code, instance, database, object; empty: about no such thing."""


def key_of(found: StoredFinding) -> Key:
    return found.code, found.instance or "", found.database or "", found.object or ""


def token(found: StoredFinding) -> str:
    return "/".join(quote(part, safe="") for part in key_of(found))


def named(tokens: Iterable[str], findings: Iterable[StoredFinding]) -> list[StoredFinding]:
    """Return the named findings, each once."""
    wanted = {tuple(unquote(part) for part in text.split("/")) for text in tokens}
    return list({key_of(found): found for found in findings if key_of(found) in wanted}.values())
