"""Whether the transaction of a RECEIVE was committed or rolled back; rollbacks count against the queue.

Django reports the commit of a transaction, but not its rollback: the caller that lets an application receive records
the messages; those that are not committed when the application returns were rolled back.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

from django.db import DatabaseError, InterfaceError, OperationalError, transaction

from brokerui.messaging.errors import BusyError, MessagingError
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.verbs.administration import message_rolled_back

logger = logging.getLogger(__name__)


_open: ContextVar[list[QueueAddress] | None] = ContextVar("received", default=None)
"""The queue of each receive that is not committed yet, in the scope that counts."""


@contextmanager
def rollbacks_counted() -> Iterator[None]:
    """Scope in which an application receives, in transactions that it begins and ends. At its end, each queue whose
    receive was rolled back counts one rollback more, unless the database or another transaction is the cause."""
    received: list[QueueAddress] = []
    token = _open.set(received)
    failure: BaseException | None = None
    try:
        yield
    except BaseException as error:
        failure = error
        raise
    finally:
        _open.reset(token)
        if not is_contention(failure):
            for place in dict.fromkeys(received):
                _count(place)


def is_contention(failure: BaseException | None) -> bool:
    """Return True if an exception, or one that it follows from, says nothing of the message: another transaction held
    the conversation, or the database was locked, chose a victim, or was lost."""
    while failure is not None:
        if isinstance(failure, (BusyError, OperationalError, InterfaceError)):
            return True
        failure = failure.__cause__ or (None if failure.__suppress_context__ else failure.__context__)
    return False


def note_received(place: QueueAddress) -> None:
    """Note that messages have left a queue, if the surrounding transaction is committed."""
    received = _open.get()
    if received is not None:
        received.append(place)
        transaction.on_commit(partial(received.remove, place))


def _count(place: QueueAddress) -> None:
    """Count the rollbacks; a failure to do so is logged, so that it does not hide the application's own exception."""
    try:
        message_rolled_back(**place._asdict())
    except (DatabaseError, MessagingError) as error:
        logger.warning("a rollback of %s is not counted: %s", "/".join(place), error)
