"""The checks of the overview, each with its own moment. Pure: the caller has looked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from brokerui.analysis.lint.selectors import LintReport
from brokerui.analysis.overview.causes import CauseKind, HeldCause
from brokerui.analysis.overview.forthcoming import EXPIRES
from brokerui.analysis.overview.real_servers import RealServer
from routing.common.finding import ERROR
from routing.common.sentence import Sentence, say
from routing.rules.decision import DROPPED

QUEUE_OFF: Final = "queue-off"
BROKER_OFF: Final = "broker-disabled"


@dataclass(frozen=True, slots=True)
class OverviewCheck:
    """One check."""

    name: str
    """The same in every language."""
    sentence: Sentence
    """As it is where the check has not failed."""
    has_failed: bool | None
    """None: it could not be made now."""
    at: datetime | None
    """The moment that it is about; None: it could not be made, or nothing says when its data were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """The facts that the checks are about, all of one moment but for findings and servers."""

    at: datetime
    causes: Sequence[HeldCause]
    has_hosted: bool
    redis_answers: bool
    worker_is_late: bool | None
    """None: Redis, which knows, does not answer."""
    unreachable: int | None
    """Addresses that hosted instances cannot reach; None: not known."""
    lost_mirrors: int
    """Mirrored routes whose principal is lost."""
    duplicates: int
    """Messages that came again within the last hour."""
    report: LintReport | None
    servers: Sequence[RealServer]
    leaks: int
    collected_at: datetime | None
    """The earliest moment at which a server was asked for its messages and conversations."""


def checks_of(looked: Looked) -> list[OverviewCheck]:
    """Every check that applies to this estate."""
    hosted = _hosted(looked) if looked.has_hosted else []
    return [*hosted, *_findings(looked), *_servers(looked)]


def _hosted(looked: Looked) -> list[OverviewCheck]:
    at, kinds = looked.at, {one.kind for one in looked.causes}
    drops = any(one.outcome == DROPPED for one in looked.causes)
    unreachable = None if looked.unreachable is None else looked.unreachable > 0
    redis_at = at if looked.redis_answers else None
    return [
        OverviewCheck("held", say("No message is held back"), CauseKind.WAITING in kinds, at),
        OverviewCheck("discarded", say("No message was discarded in the last 10 minutes"), drops, at),
        OverviewCheck("arrived", say("No message waits for a queue that is off"), CauseKind.QUEUE_OFF in kinds, at),
        OverviewCheck("repeated", say("No message came again in the last hour"), looked.duplicates > 0, at),
        OverviewCheck("reachable", say("Every address that was tried can be reached"), unreachable, redis_at),
        OverviewCheck("mirrors", say("Every mirrored route has a principal"), looked.lost_mirrors > 0, at),
        OverviewCheck("redis", say("Redis answers"), not looked.redis_answers, at),
        OverviewCheck("worker", say("A worker is at work"), looked.worker_is_late, redis_at),
    ]


def _findings(looked: Looked) -> list[OverviewCheck]:
    report = looked.report
    known = report.looked if report is not None else None
    codes = {finding.code for finding in report.findings} if report is not None and known else set()
    at = known.evaluated_at if known else None

    def has(code: str) -> bool | None:
        return code in codes if known else None

    errors = report.counts[ERROR] > 0 if report is not None and known else None
    return [
        OverviewCheck("queues", say("Every queue is on"), has(QUEUE_OFF), at),
        OverviewCheck("brokers", say("The broker of every database is enabled"), has(BROKER_OFF), at),
        OverviewCheck("expiry", say("No route expires within seven days"), has(EXPIRES), at),
        OverviewCheck("errors", say("No finding of severity error"), errors, at),
    ]


def _servers(looked: Looked) -> list[OverviewCheck]:
    if not looked.servers:
        return []
    ages = [server.at for server in looked.servers if server.at is not None]
    stale = any(server.is_stale for server in looked.servers)
    found = [OverviewCheck("fresh", say("Every server was read in its time"), stale, min(ages, default=None))]
    if looked.collected_at is not None:
        kinds = {one.kind for one in looked.causes}
        at = looked.collected_at
        found += [
            OverviewCheck("servers", say("No message waits on a real server"), CauseKind.COLLECTED in kinds, at),
            OverviewCheck("leaks", say("Conversations of real servers are ended"), looked.leaks > 0, at),
        ]
    return found
