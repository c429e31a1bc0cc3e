"""The overview: causes that need a person, faults that will, and checks; everything of one moment.

Page, REST, command line and the bar of every page ask here, so that none contradicts another.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Final, NamedTuple

from django.utils.translation import get_language, override
from redis import RedisError

from brokerui.analysis.lint.selectors import LintReport, findings_for
from brokerui.analysis.monitoring.collected import databases_collected
from brokerui.analysis.monitoring.history import oldest
from brokerui.analysis.monitoring.waiting import WaitingMessages, waiting_counted, waiting_now
from brokerui.analysis.overview.alerts import alerts_note
from brokerui.analysis.overview.causes import CauseTotals, HeldCause, totals_of, worst_first
from brokerui.analysis.overview.checks import Looked, OverviewCheck, checks_of
from brokerui.analysis.overview.entries import CauseInWords, entries_of
from brokerui.analysis.overview.forthcoming import Forthcoming, forthcoming
from brokerui.analysis.overview.held_rows import (
    collected_rows,
    discarded_rows,
    off_rows,
    repeated_since,
    together,
    waiting_rows,
)
from brokerui.analysis.overview.logged_causes import ranked_causes
from brokerui.analysis.overview.real_servers import RealServer, leaks_of, real_servers
from brokerui.analysis.servers.logged import LoggedError, logged_errors
from brokerui.analysis.servers.observed import with_collected
from brokerui.analysis.servers.selectors import LeftConversations
from brokerui.changes.estate_view import estate_view_from
from brokerui.core.cache import LruCache
from brokerui.core.commit_mark import commit_mark
from brokerui.core.deferred import NotReadyError, defer
from brokerui.core.heartbeat import heartbeat_is_late, heartbeat_last
from brokerui.core.keyed_lock import KeyedLock
from brokerui.core.lasting import Lasting, grows, lasting, lasts, passes
from brokerui.estate.selectors import LiveEstate, estate_current, instance_freshness
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.unreachable import unreachable_count
from brokerui.messaging.models import MirroredRoute
from routing.common.moment import from_milliseconds, to_milliseconds
from routing.mirror.state_machine import LOST

SHOWN: Final = 20
"""Causes that are put into words; the page *Delayed* and its file have all."""
HOUR_MS: Final = 3_600_000
LARGE: Final = 200
"""Instances of an estate whose overview is kept for some seconds: the same figures for all readers."""
FRESH_SECONDS: Final = 3.0
OLD_SECONDS: Final = 30.0
"""An overview that is older is shown to nobody, but where nothing has changed since."""


@dataclass(frozen=True)
class Overview:
    """The answer, as of one moment."""

    at: datetime
    live: LiveEstate
    waiting: WaitingMessages
    causes: Sequence[HeldCause]
    """All that hold messages back, the worst first."""
    ranked: Sequence[HeldCause]
    """The same with what real servers logged, the worst first."""
    entries: Sequence[CauseInWords]
    """The worst of these in words."""
    hosted: Sequence[str]
    servers: Sequence[RealServer]
    looked: Looked
    report: LintReport | None
    leaks: Sequence[LeftConversations]
    """Databases of real servers that leave conversations over."""
    logged: Sequence[LoggedError] = ()
    """Errors in the last logs of real servers."""

    @cached_property
    def totals(self) -> CauseTotals:
        return totals_of(self.causes)

    @cached_property
    def forthcoming(self) -> list[Forthcoming]:
        """Faults that hold nothing back yet."""
        return forthcoming(self.leaks, self.report, self.servers, self.logged)

    @cached_property
    def checks(self) -> list[OverviewCheck]:
        return checks_of(self.looked)

    @property
    def is_empty(self) -> bool:
        """Whether there is no instance that anything could be said of, and no log of a real server."""
        return not self.live.estate.instances and not self.logged

    @property
    def failed(self) -> int:
        """Checks that failed."""
        return sum(check.has_failed is True for check in self.checks)

    @property
    def unknown(self) -> int:
        """Checks that could not be made now."""
        return sum(check.has_failed is None for check in self.checks)


class _LastOverview(NamedTuple):
    found: Overview
    made_at: float
    is_large: bool
    commits: str | None
    """The mark of commits as it was before."""
    lasted: Lasting

    def is_current(self) -> bool:
        """Whether nothing in it has changed but ages."""
        if self.commits is None:
            return False
        looked = self.found.looked
        of_redis = looked.worker_is_late, looked.unreachable, looked.redis_answers
        return commit_mark() == self.commits and _of_redis(self.found.hosted) == of_redis


_last: dict[str, _LastOverview] = {}
"""By language."""
_being_renewed = KeyedLock()


def overview_now() -> Overview:
    """The overview; of a large estate, one that is some seconds old, while the next one is made beside the requests.
    Raises `NotReadyError` while waiting messages are counted for the first time."""
    language = get_language() or ""
    last = _last.get(language)
    if last is None or not last.is_large:
        return _renew(language)
    age = time.monotonic() - last.made_at
    is_current = last.is_current()
    if is_current and age < last.lasted.kept_s:
        lasts(last.lasted.kept_s - age)
        alerts_note(last.found.causes)
        return last.found
    if age > OLD_SECONDS:
        return _renew(language)
    lasts(max(0.0, last.lasted.seconds - age))
    if age < FRESH_SECONDS:
        passes()
        return last.found
    if is_current:
        return _grown_older(language, last)
    try:
        defer(("overview", language), partial(_renew, language))
    except NotReadyError:
        return last.found
    return _renew(language)


def _grown_older(language: str, last: _LastOverview) -> Overview:
    """The overview with ages as of now, made once for all readers; nothing is counted for it."""
    with _being_renewed.hold(language):
        newest = _last.get(language, last)
        return _renew(language) if newest is last else newest.found


def _renew(language: str) -> Overview:
    commits = commit_mark() if language in _last else None
    with override(language or None), lasting() as lasted:
        waiting = waiting_now()
        found = _overview(waiting)
    is_large = waiting.until > 0 or len(found.live.estate.instances) > LARGE
    _last[language] = _LastOverview(found, time.monotonic(), is_large, commits, lasted)
    return found


def overview_counted(seconds: float, shown: int = SHOWN) -> Overview:
    """The overview with messages counted now, however many there are. `seconds`: for trying remedies."""
    return _overview(waiting_counted(), seconds, shown)


def causes_now(live: LiveEstate, waiting: WaitingMessages) -> list[HeldCause]:
    """All causes, the worst first. The number of queries does not depend on how many there are."""
    at = now()
    rows = [
        *together(waiting_rows(waiting, at), discarded_rows(at)),
        *off_rows(waiting, oldest(at) if waiting.arrived else {}),
        *collected_rows(live, from_milliseconds(at)),
    ]
    causes = worst_first(rows)
    alerts_note(causes)
    return causes


def forget() -> None:
    """Forget the last overview."""
    _last.clear()


def _overview(waiting: WaitingMessages, seconds: float = 0.1, shown: int = SHOWN) -> Overview:
    live, at, hosted = with_collected(estate_current()), datetime.now(UTC), hosted_names()
    causes, logged = causes_now(live, waiting), logged_errors()
    ranked = ranked_causes(causes, logged)
    for cause in ranked[:shown]:
        grows(cause.oldest_s or 0)
    leaks = leaks_of(live)
    servers = real_servers(live, instance_freshness(), hosted, at, leaks)
    report = _report()
    return Overview(
        at=at,
        live=live,
        waiting=waiting,
        causes=causes,
        ranked=ranked,
        entries=entries_of(live, ranked[:shown], at, seconds, logged),
        hosted=hosted,
        servers=servers,
        looked=_looked(live, at, causes, hosted, servers, report, len(leaks)),
        report=report,
        leaks=leaks,
        logged=logged,
    )


def _report() -> LintReport | None:
    """The findings of the live estate; None: they are being read."""
    try:
        return findings_for(estate_view_from({}))
    except NotReadyError:
        return None


def _looked(
    live: LiveEstate,
    at: datetime,
    causes: Sequence[HeldCause],
    hosted: Sequence[str],
    servers: Sequence[RealServer],
    report: LintReport | None,
    leaks: int,
) -> Looked:
    worker_is_late, unreachable, redis_answers = _of_redis(hosted)
    return Looked(
        at=at,
        causes=causes,
        has_hosted=bool(hosted),
        redis_answers=redis_answers,
        worker_is_late=worker_is_late,
        unreachable=unreachable,
        lost_mirrors=MirroredRoute.objects.filter(phase=LOST).count(),
        duplicates=repeated_since(to_milliseconds(at) - HOUR_MS),
        report=report,
        servers=servers,
        leaks=leaks,
        collected_at=_collected_at(live),
    )


def _of_redis(hosted: Sequence[str]) -> tuple[bool | None, int | None, bool]:
    """Whether workers are late, how many addresses cannot be reached, whether Redis answers."""
    try:
        return *looked_at_redis(hosted), True
    except (RedisError, OSError):
        return None, None, False


def looked_at_redis(hosted: Sequence[str] | None = None) -> tuple[bool, int]:
    """Whether workers are late, and how many addresses the hosted instances cannot reach. Raises `RedisError`."""
    is_late = heartbeat_is_late(heartbeat_last())
    return is_late, unreachable_count(redis(), hosted_names() if hosted is None else hosted)


_moments: LruCache[datetime | None] = LruCache(4)


def _collected_at(live: LiveEstate) -> datetime | None:
    """The earliest moment at which a server was asked; worked out once for a version."""
    return _moments.get_or_make(live.digest, lambda: min(_moments_of(live), default=None))


def _moments_of(live: LiveEstate) -> list[datetime]:
    queues = [held.database.transmission_queue for held in databases_collected(live.estate)]
    return [queue.collected_at for queue in queues if queue is not None and queue.collected_at is not None]
