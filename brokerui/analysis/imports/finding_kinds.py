"""What the commands that import have in common: the titles of their findings, how these are shown, the exit status."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

from brokerui.analysis.lint.finding_text import counted, findings_as_text
from brokerui.core.languages import here
from routing.common.finding import ERROR, SEVERITIES, WARNING, Finding
from routing.common.sentence import say
from routing.lint.registry import CHECKS

IMPORT_TITLES = {
    "not-understood": say("Not understood, and left out"),
    "refused": say("Refused, as the product refuses it"),
    "dynamic-sql": say("Made by a statement that is built when it runs"),
    "value-not-literal": say("A value that is known only when it runs"),
    "already-exists": say("There already"),
    "not-found": say("Not found"),
}
"""Codes of findings that only imports have."""
REMARK_TITLES = {
    "address-unknown": say("An instance without an address"),
    "conditional": say("Applied, under a condition that was not evaluated"),
    "not-executed": say("Not run by running the script"),
    "no-use": say("Taken to be about master, since no USE stands before it"),
    "role-unknown": say("Mirrored, in a role that the script does not say"),
}
"""Codes of what imports remark beside them."""
LOST = {**dict.fromkeys((*IMPORT_TITLES, "not-executed"), WARNING), "no-use": ERROR}
"""The severity from which on something of what was imported is missing from the estate."""


def report(findings: Sequence[Finding], form: str) -> None:
    """The findings, on standard error: as lines, or as one array of JSON."""
    translate = here()
    if form == "json":
        json.dump([finding.as_json(translate) for finding in findings], sys.stderr, ensure_ascii=False, indent=1)
        sys.stderr.write("\n")
        return
    titles = {**IMPORT_TITLES, **REMARK_TITLES, **{check.code: check.title for check in CHECKS}}
    for piece in findings_as_text(findings, titles, translate):
        sys.stderr.write(piece)
    if findings:
        sys.stderr.write(f"{counted(findings, translate)}\n")


def something_is_missing(findings: Iterable[Finding]) -> bool:
    """Whether the estate lacks something of what was imported: a statement that was lost, not one that was meant so."""
    return any(
        SEVERITIES.index(finding.severity) <= SEVERITIES.index(LOST[finding.code])
        for finding in findings
        if finding.code in LOST
    )
