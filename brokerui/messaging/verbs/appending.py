"""SEND on a conversation in which this process has sent before: in one statement, without reading it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections

from brokerui.core.instance_limit import check_instances
from brokerui.messaging.broker_cache import check_database, working_broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.exchange.outbox import has_room
from brokerui.messaging.exchange.wake_debounce import wake_once
from brokerui.messaging.tasks import transmit
from brokerui.messaging.verbs.leaving import leave_after_commit
from routing.dialog.appended_messages import AppendOutcome
from routing.dialog.problems import VerbError
from routing.dialog.send import send
from routing.dialog.unit_of_work import UnitOfWork
from routing.runtime.broker import Broker

FEW: Final = 10
"""Messages that one statement adds; more of them are worth a claim and a COPY."""


def is_appended(instance: str, handle: str, messages: Sequence[tuple[str, bytes]]) -> bool:
    """Send in the caller's transaction, or where none is open in one of its own. False: nothing has happened, and the
    caller claims the conversation; the claim also raises the error for the application, if there is one. Raises
    `InstanceForbiddenError`.
    """
    database = connections[DEFAULT_DB_ALIAS]
    is_callers = database.in_atomic_block
    if not 0 < len(messages) <= FEW or not database.features.has_select_for_update:
        return False
    if not is_callers and not database.get_autocommit():
        return False
    check_instances([instance])
    broker = working_broker_of(instance, in_transaction=is_callers)
    now_ms = now()
    outcome = _appended(broker, handle, messages, now_ms, at_once=has_room(instance))
    if outcome is None:
        return False
    leave_after_commit(database, instance, [handle], broker.frames_to_send(now_ms), broker.events())
    if not outcome.have_left:
        database.on_commit(partial(wake_once, transmit))
    return True


def _appended(
    broker: Broker, handle: str, messages: Sequence[tuple[str, bytes]], now_ms: int, *, at_once: bool
) -> AppendOutcome | None:
    """Send as the engine has answered the last SEND, or else ask it."""
    if len(messages) == 1:
        outcome = broker.send_again(handle, *messages[0], now_ms, at_once=at_once)
        if outcome is not None:
            return outcome
    work = broker.remembered_work(handle, now_ms)
    if work is None or not _is_sent(broker, work, handle, messages):
        return None
    return broker.append(work, at_once=at_once)


def _is_sent(broker: Broker, work: UnitOfWork, handle: str, messages: Iterable[tuple[str, bytes]]) -> bool:
    try:
        check_database(broker, work.require(handle).database)
        for message_type, body in messages:
            send(work, (handle,), message_type, body)
    except (VerbError, MessagingError):
        return False
    return True
