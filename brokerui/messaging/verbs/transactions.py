"""A unit of work of an application, inside the caller's transaction or in one of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from brokerui.core.instance_limit import check_instances
from brokerui.messaging.broker_cache import ReplacedError, broker_of, check_database, working_broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.errors import BusyError
from brokerui.messaging.exchange.outbox import has_room
from brokerui.messaging.exchange.wake_debounce import wake_once
from brokerui.messaging.queue_monitors.signals import messages_came, received
from brokerui.messaging.tasks import transmit
from brokerui.messaging.verbs.leaving import MOST, keep_frames_back, leave_after_commit
from routing.dialog.batch import ClaimRequest
from routing.dialog.unit_of_work import UnitOfWork
from routing.runtime.broker import Broker
from routing.runtime.due_work import has_become_due
from routing.runtime.store import Conflict

PATIENCE_SECONDS: Final = 2.0
"""Longest wait of a verb for a conversation that another transaction holds, in seconds."""
PAUSE_SECONDS: Final = 0.002


@contextmanager
def unit_of_work(instance: str, wanted: ClaimRequest) -> Iterator[tuple[Broker, UnitOfWork]]:
    """Claim, and commit the changes, or none of them after an exception. Raises `BusyError`, `NotHostedError`
    and `InstanceForbiddenError`.

    Within a transaction of the caller it counts when that is committed; a caller that writes something beside it opens
    one. Else it counts at the end. Only then are workers woken.
    """
    check_instances([instance])
    commits_at_once = connection.get_autocommit()
    with _transaction() as is_callers, busy_after_conflict():
        broker, work = _claimed(instance, wanted, is_callers)
        try:
            for endpoint in filter(None, map(work.get, wanted.handles)):
                check_database(broker, endpoint.database)
            yield broker, work
            if wanted.receive is not None:
                received(broker, wanted.receive.queue, is_empty=work.batch.received_group is None)
            if _may_leave(work, commits_at_once) and has_room(instance):
                broker.send_at_once(work)
        except BaseException:
            broker.release(work)
            raise
        with transaction.mark_for_rollback_on_error():
            broker.commit(work)
        if is_callers and work.changes.removed:
            keep_frames_back(instance, work.changes.removed)
        # Where no transaction of Django's is open, it is committed by now, and these happen at once.
        frames, events = broker.frames_to_send(work.now_ms), broker.events()
        leave_after_commit(connections[DEFAULT_DB_ALIAS], instance, work.changes.endpoints, frames, events)
        transaction.on_commit(partial(messages_came, broker, broker.filled()))
        if work.changes.retry_all or has_become_due(work):
            transaction.on_commit(partial(wake_once, transmit))


def _may_leave(work: UnitOfWork, commits_at_once: bool) -> bool:
    """Whether messages leave with the commit: no more of them than one conversation may have on the way where the
    caller's transaction goes on, because their frames are in memory until it ends."""
    return len(work.changes.outgoing) > 0 and (commits_at_once or len(work.changes.outgoing) <= MOST)


@contextmanager
def _transaction() -> Iterator[bool]:
    """Whether the work runs in a transaction of Django's, the caller's. Otherwise the store opens its own, with
    fewer round trips; on SQLite, which has one connection, Django opens it."""
    if connection.in_atomic_block:
        yield True  # nothing is written before the commit: there is nothing that a savepoint would undo
    elif connection.features.has_select_for_update and connection.get_autocommit():
        yield False
    else:
        with transaction.atomic():
            yield True


@contextmanager
def busy_after_conflict() -> Iterator[None]:
    """A conflict with another transaction or with a newer version of the estate: the verb is tried again."""
    try:
        yield
    except Conflict as conflict:
        raise BusyError from conflict


def _claimed(instance: str, wanted: ClaimRequest, is_callers: bool) -> tuple[Broker, UnitOfWork]:
    try:
        broker = working_broker_of(instance, in_transaction=is_callers)
        return broker, _claimed_by(broker, wanted)
    except ReplacedError:
        broker = broker_of(instance, in_transaction=is_callers)
        return broker, _claimed_by(broker, wanted)


def _claimed_by(broker: Broker, wanted: ClaimRequest) -> UnitOfWork:
    """Wait some milliseconds for a worker to release a conversation. Raises `BusyError` after the limit: another
    transaction of an application may hold it, and wait for this one. PostgreSQL says at once when it is released; what
    else a claim may find busy is tried again and again."""
    # SQLite has one write lock, which this transaction holds: the holder of the conversation cannot commit before it.
    patience = PATIENCE_SECONDS if connection.features.has_select_for_update else 0.0
    end = time.monotonic() + patience
    while (work := broker.work(wanted, now())).batch.busy:
        broker.release(work)
        wanted = replace(wanted, wait_ms=int(patience * 1000))
        if time.monotonic() >= end:
            raise BusyError
        time.sleep(PAUSE_SECONDS)
    return work
