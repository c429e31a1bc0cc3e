"""Why a round of the pipeline waits, and what an operator does about it: pages, REST and the check say the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from importlib.util import find_spec
from typing import Final

from django.utils import timezone
from redis import RedisError

from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.core.heartbeat import MISSED_BEATS, Heartbeats, heartbeats
from routing.common.moment import format_moment
from routing.common.sentence import Sentence, say

START: Final = "brokerui worker --queues pipeline"
START_ALL: Final = ("brokerui worker", "brokerui beat", START)
INSTALL: Final = "pip install 'brokerui[pipeline]'"
STATUS: Final = "brokerui status"
LATE: Final = timedelta(seconds=90)
"""A worker that is there starts a round sooner."""


class WaitCause(StrEnum):
    """The cause that keeps a round waiting, as programs read it."""

    REDIS = "redis"
    WORKERS = "workers"
    PIPELINE = "pipeline"
    NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True)
class RoundWait:
    """The reason why a round waits, with its remedy."""

    cause: WaitCause
    sentence: Sentence
    remedy: Sentence
    commands: tuple[str, ...]
    """In the order in which they are run."""


def is_lost(found: Round) -> bool:
    """Return whether the worker that ran a round is gone, and no other has taken the round up yet."""
    return found.state == RoundState.RUNNING and (found.job is None or found.job.is_lapsed)


def waits_since(found: Round) -> datetime | None:
    """Return since when a worker could have started a round; None where it does not wait."""
    if is_lost(found):
        return found.job.lapses_at if found.job is not None and found.job.lapses_at else found.asked_at
    if found.state != RoundState.WAITING:
        return None
    return max(found.asked_at, found.job.due_at) if found.job is not None else found.asked_at


def round_wait(found: Round) -> RoundWait | None:
    """Return why a round waits; None where it does not, or a worker is about to start it."""
    since = waits_since(found)
    if since is None:
        return None
    try:
        seen = heartbeats()
    except (RedisError, OSError):
        return _REDIS
    return _gap(seen) or (_not_started(since) if timezone.now() - since > LATE else None)


def worker_missing() -> RoundWait | None:
    """Return why a round that is requested now would wait; None where a worker is there, or nobody can say."""
    try:
        return _gap(heartbeats())
    except (RedisError, OSError):
        return None


def _gap(seen: Heartbeats) -> RoundWait | None:
    """Return which worker is missing."""
    if seen.is_late:
        return _WORKERS
    return _pipeline(seen.of_pipeline) if seen.lacks_pipeline else None


def _pipeline(last: datetime | None) -> RoundWait:
    sentence = say('No worker serves the queue "pipeline": nothing starts a round.')
    if last is not None:
        moment = format_moment(last)
        sentence = say('No worker serves the queue "pipeline": the last one was seen at {moment}.', moment=moment)
    if find_spec("pyspark") is None:
        remedy = say("Spark is not installed here. Install it and start brokerui up again, or a worker elsewhere:")
        return RoundWait(WaitCause.PIPELINE, sentence, remedy, (INSTALL, START))
    remedy = say("Start one where Spark is installed; brokerui up does so by itself unless PIPELINE=off is set:")
    return RoundWait(WaitCause.PIPELINE, sentence, remedy, (START,))


def _not_started(since: datetime) -> RoundWait:
    return RoundWait(
        WaitCause.NOT_STARTED,
        say("It has been waiting since {moment}, although a worker is there.", moment=format_moment(since)),
        say("Look into the log of the process pipeline; cancel the round, or start the worker again:"),
        (START,),
    )


_REDIS: Final = RoundWait(
    WaitCause.REDIS,
    say("Redis does not answer, and nothing else wakes the worker."),
    say("Start Redis, or correct REDIS_URL. Which one is asked, and what it says:"),
    (STATUS,),
)
_WORKERS: Final = RoundWait(
    WaitCause.WORKERS,
    say("No worker is at work, or beat does not run: {n} heartbeats did not come.", n=MISSED_BEATS),
    say("Start brokerui up, or each of the processes by itself:"),
    START_ALL,
)
