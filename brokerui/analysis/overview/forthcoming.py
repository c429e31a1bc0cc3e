"""Faults that hold nothing back yet: findings, conversations that nobody ends, servers that were read long ago."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Final

from brokerui.analysis.lint.selectors import LintReport
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.overview.logged_causes import logged_effect, logged_title, older_errors
from brokerui.analysis.overview.real_servers import RealServer
from brokerui.analysis.servers.leak_size import row_bytes, size_words
from brokerui.analysis.servers.logged import LoggedError
from brokerui.analysis.servers.selectors import LeftConversations
from routing.common.finding import ERROR
from routing.common.sentence import Sentence, say, say_counted
from routing.lint.registry import CHECKS

EXPIRES: Final = "route-expires-soon"
TITLES: Final = {check.code: check.title for check in CHECKS}
MOST: Final = 4
"""Lines of each kind that are shown: the page has links to all."""


class ForthcomingKind(StrEnum):
    """The subject of a line."""

    LEAK = "leak"
    FINDING = "finding"
    STALE = "stale"
    LOGGED = "logged"
    """An error in the log of a real server, days older than the log: one that is newer is a cause."""


@dataclass(frozen=True, slots=True)
class Forthcoming:
    """One line."""

    kind: ForthcomingKind
    title: Sentence
    effect: Sentence
    code: str = ""
    """Of the findings."""
    instance: str = ""
    """The server; empty: it is about several."""
    collected_at: datetime | None = None
    database: str = ""
    """Of a leak."""


def forthcoming(
    leaks: Sequence[LeftConversations],
    report: LintReport | None,
    servers: Sequence[RealServer],
    logged: Sequence[LoggedError] = (),
) -> list[Forthcoming]:
    """All lines, those that lose messages first. `report` None: the findings are not known now."""
    return [*_logged(logged), *_findings(report), *_leaks(leaks), *_stale(servers)]


def _logged(logged: Sequence[LoggedError]) -> Iterator[Forthcoming]:
    for one in older_errors(logged)[:MOST]:
        yield Forthcoming(ForthcomingKind.LOGGED, logged_title(one), logged_effect(one), "", one.server, one.at)


def codes_of(report: LintReport | None) -> dict[str, list[StoredFinding]]:
    """The findings that certainly lose or delay messages, and routes that expire, by code."""
    by_code: dict[str, list[StoredFinding]] = {}
    for finding in report.findings if report is not None else ():
        if finding.severity == ERROR or finding.code == EXPIRES:
            by_code.setdefault(finding.code, []).append(finding)
    return by_code


def _findings(report: LintReport | None) -> Iterator[Forthcoming]:
    for code, members in islice(codes_of(report).items(), MOST):
        yield Forthcoming(ForthcomingKind.FINDING, _title(code, members), _effect(members), code)


def _title(code: str, members: Sequence[StoredFinding]) -> Sentence:
    if len(members) == 1:
        return say("{title}: {place}", title=TITLES[code], place=_place(members[0]))
    return say_counted(len(members), "{title} ({count})", "{title} ({count})", title=TITLES[code])


def _effect(members: Sequence[StoredFinding]) -> Sentence:
    if len(members) == 1:
        return members[0].reason
    return say("In {place}: {reason}", place=_place(members[0]), reason=members[0].reason)


def _place(finding: StoredFinding) -> str:
    parts = (finding.instance, finding.database, None if finding.is_about_the_whole else finding.object)
    return "/".join(part for part in parts if part)


def _leaks(leaks: Sequence[LeftConversations]) -> Iterator[Forthcoming]:
    for leak in leaks[:MOST]:
        title = say_counted(
            leak.left,
            "{count} conversation of {database} never closes",
            "{count} conversations of {database} never close",
            database=leak.database,
        )
        effect = _growth(leak)
        if size := size_words(leak.left * row_bytes(None)):
            effect = say("Their rows take about {size}. {growth}", size=size, growth=effect)
        yield Forthcoming(ForthcomingKind.LEAK, title, effect, "", leak.server, leak.at, leak.database)


def _growth(leak: LeftConversations) -> Sentence:
    """How fast they grow, and which service leaves most of them over."""
    most = say("Most are of {service}.", service=leak.worst) if leak.worst else say("Their service was not collected.")
    if leak.a_day is None or leak.a_day <= 0:
        return most
    return say("{a_day} more each day. {most}", a_day=f"{leak.a_day:,}", most=most)


def _stale(servers: Sequence[RealServer]) -> Iterator[Forthcoming]:
    stale = [server for server in servers if server.is_stale]
    if not stale:
        return
    effect = say("The answers about their databases may no longer hold: import them again.")
    if len(stale) == 1:
        title = say("{server} was read long ago", server=stale[0].name)
    else:
        title = say_counted(len(stale), "{count} server was read long ago", "{count} servers were read long ago")
    yield Forthcoming(ForthcomingKind.STALE, title, effect, "", stale[0].name if len(stale) == 1 else "", stale[0].at)
