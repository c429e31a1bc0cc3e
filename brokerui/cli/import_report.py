"""The findings of an import on standard error, for the commands that import."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from brokerui.analysis.imports.finding_kinds import IMPORT_TITLES, REMARK_TITLES
from brokerui.analysis.lint.finding_text import counted, findings_as_text
from brokerui.core.languages import here
from routing.common.finding import Finding
from routing.lint.registry import CHECKS


def report(findings: Sequence[Finding], form: str) -> None:
    """The findings, on standard error: as lines, or as one array of JSON. Raises `OSError` where they cannot be."""
    if form == "json":
        json.dump([finding.as_json(here()) for finding in findings], sys.stderr, ensure_ascii=False, indent=1)
        sys.stderr.write("\n")
    else:
        _as_lines(findings)
    sys.stderr.flush()


def _as_lines(findings: Sequence[Finding]) -> None:
    translate = here()
    titles = {**IMPORT_TITLES, **REMARK_TITLES, **{check.code: check.title for check in CHECKS}}
    for piece in findings_as_text(findings, titles, translate):
        sys.stderr.write(piece)
    if findings:
        sys.stderr.write(f"{counted(findings, translate)}\n")
