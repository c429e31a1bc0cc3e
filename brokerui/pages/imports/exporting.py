"""All rows of a preview as files; the page shows the first ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.translation import gettext, ngettext

from brokerui.analysis.imports.presenter import sentence
from brokerui.analysis.imports.preview import FIELDS
from brokerui.core.csv import csv_lines
from routing.common.sentence import translator

CHANGES = ("verb", "kind", "instance", "database", "name", "what")
FINDINGS = (*FIELDS, "reason")
GROUPS = ("verdict", "kind", "to_service", "to_broker_instance", "is_reply", "from_count", "from", "before", "after")


def csv_response(name: str, rows: Iterable[Any]) -> StreamingHttpResponse:
    """`changes`, `findings` or `groups`, with a line for each."""
    columns, row = _FILES[name]
    headers = {"Content-Disposition": f'attachment; filename="import-{name}.csv"', "Cache-Control": "private, no-cache"}
    lines = csv_lines(chain([columns], map(row, rows)))
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


def _finding(finding: dict[str, Any]) -> list[Any]:
    """Return the columns of a finding, with its reason in the reader's language."""
    reason = sentence(finding["reason"]).render(translator(gettext, ngettext))
    return [*(finding.get(name) for name in FIELDS), reason]


def _group(group: dict[str, Any]) -> list[Any]:
    first = " ".join(
        "outside:" + instance if name is None else f"{instance}/{name}" for instance, name in group["from"]
    )
    ends = [" ".join("/".join(end) for end in group[side]) for side in ("before", "after")]
    return [*(group[name] for name in GROUPS[:6]), first, *ends]


_FILES: dict[str, tuple[tuple[str, ...], Callable[[Any], list[Any]]]] = {
    "changes": (CHANGES, list),
    "findings": (FINDINGS, _finding),
    "groups": (GROUPS, _group),
}
