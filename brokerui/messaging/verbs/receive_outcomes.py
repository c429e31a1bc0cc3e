"""Whether what an application has received was committed or rolled back, which counts against the queue.

A transaction says when it is committed, and to nobody that it is rolled back: whoever lets an application receive
notes what it got, and what was not committed when it is through was rolled back.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

from django.db import DatabaseError, transaction

from brokerui.messaging.errors import MessagingError
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.verbs.administration import message_rolled_back

logger = logging.getLogger(__name__)


_open: ContextVar[list[QueueAddress] | None] = ContextVar("received", default=None)
"""Of each receive that is not committed yet, in the scope that counts."""


@contextmanager
def rollbacks_counted() -> Iterator[None]:
    """Scope in which an application receives, in transactions that it begins and ends. At its end, each queue whose
    receive was rolled back counts one rollback more."""
    received: list[QueueAddress] = []
    token = _open.set(received)
    try:
        yield
    finally:
        _open.reset(token)
        for place in dict.fromkeys(received):
            _count(place)


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
