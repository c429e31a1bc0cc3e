"""Kinds of findings that imports add to those of lint: their titles, and which mean that a statement is missing."""

from __future__ import annotations

from collections.abc import Iterable

from routing.common.finding import ERROR, SEVERITIES, WARNING, Finding
from routing.common.sentence import say

IMPORT_TITLES = {
    "not-understood": say("Not understood, and left out"),
    "refused": say("Refused, as the product refuses it"),
    "dynamic-sql": say("Made by dynamic SQL whose text is not known"),
    "value-not-literal": say("A value that is known only at run time"),
    "already-exists": say("There already"),
    "not-found": say("Not found"),
}
"""Codes of findings that only imports have."""
REMARK_TITLES = {
    "address-unknown": say("An instance without an address"),
    "dropped-again": say("Made by a script, and dropped before it ends"),
    "conditional": say("Applied, under a condition that was not evaluated"),
    "not-executed": say("Not run by running the script"),
    "code-page": say("Read in a code page that may be another one"),
    "no-statement": say("A file without a statement about Service Broker"),
    "no-use": say("Assumed to be in master: no USE comes before it"),
    "placeholder": say("A placeholder of a template that was not filled in"),
    "role-unknown": say("Mirrored, in a role that the script does not say"),
}
"""Codes of what imports remark beside them."""
LOST = {
    **dict.fromkeys((*IMPORT_TITLES, "not-executed"), WARNING),
    "no-use": ERROR,
    "placeholder": WARNING,
    "no-statement": WARNING,
}
"""By code of a finding: the lowest severity that means that a part of the file is missing from the estate."""


def something_is_missing(findings: Iterable[Finding]) -> bool:
    """Return whether a statement of the file is missing from the estate, other than by intent."""
    return any(
        SEVERITIES.index(finding.severity) <= SEVERITIES.index(LOST[finding.code])
        for finding in findings
        if finding.code in LOST
    )
