"""Findings as lines for a terminal: worst first, those of one code together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from brokerui.analysis.lint.remedy_offer import Offers, RemedyOffer, untried
from routing.common.finding import ERROR, INFO, SEVERITIES, WARNING, Finding
from routing.common.sentence import Sentence, Translate, say, say_counted
from routing.tsql.refusal import NO_STATEMENT

SHOWN = 50
"""Findings of one group that are shown."""
OF_DATABASES = (
    "broker-disabled",
    "duplicate-identifier",
    "no-autocreatedlocal",
    "no-return-route",
    "not-found",
    "role-unknown",
)
"""Codes whose findings are about a database where they name no other object."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that terminals obey: control characters, and those that turn the direction of writing."""


def findings_as_text(
    findings: Iterable[Finding],
    titles: dict[str, Sentence],
    translate: Translate = str,
    offers: Offers = untried,
) -> Iterator[str]:
    """The lines. `titles` says in words what a code is about; `offers` tries the remedies of the findings shown."""
    ordered = sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), list(titles).index(f.code)))
    for (severity, code), group in groupby(ordered, key=lambda f: (f.severity, f.code)):
        members = list(group)
        yield f"{severity}: {code} ({len(members)}): {titles[code].render(translate)}\n"
        for finding in islice(members, SHOWN):
            yield from _finding(finding, offers(finding), translate)
        if len(members) > SHOWN:
            more = say("and {count} more; --format json has all", count=len(members) - SHOWN)
            yield f"  {more.render(translate)}\n"
        yield "\n"


def _finding(finding: Finding, offer: RemedyOffer, translate: Translate) -> Iterator[str]:
    line = f":{finding.line}" if finding.line is not None else ""
    is_of_file = line or not place(finding) or finding.code == NO_STATEMENT
    source = f"{finding.file}{line}" if is_of_file else ""
    yield f"  {': '.join(filter(None, (one_line(source), place(finding))))}\n"
    yield f"      {one_line(finding.reason.render(translate))}\n"
    for line in (offer.sql or "").splitlines():
        yield f"        {_CONTROL.sub('?', line)}\n"
    for sentence in offer.says:
        yield f"      {one_line(sentence.render(translate))}\n"


def place(finding: Finding) -> str:
    """`instance/database/object`; what names the instance or the database itself is not repeated."""
    parts = [part for part in (finding.instance, finding.database) if part is not None]
    # A route may have the name of its database; a finding that is about the database itself needs no second one.
    of_whole = finding.object in parts[-1:] and (finding.database is None or finding.code in OF_DATABASES)
    if finding.object is not None and not of_whole:
        parts.append(finding.object)
    return one_line("/".join(parts))


def counted(findings: Iterable[Finding], translate: Translate = str) -> str:
    """`2 errors, 1 warning`."""
    counts = Counter(finding.severity for finding in findings)
    texts = {
        ERROR: say_counted(counts[ERROR], "{count} error", "{count} errors"),
        WARNING: say_counted(counts[WARNING], "{count} warning", "{count} warnings"),
        INFO: say_counted(counts[INFO], "{count} info", "{count} info"),
    }
    return ", ".join(texts[severity].render(translate) for severity in SEVERITIES if counts[severity])


def one_line(text: str) -> str:
    """Names may hold line ends and what terminals obey."""
    return _CONTROL.sub("?", " ".join(text.splitlines()))
