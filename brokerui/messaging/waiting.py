"""Waiting for messages: WAITFOR in a transaction of an application."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import DEFAULT_DB_ALIAS, connections

from brokerui.core.sqlite.base import DatabaseWrapper
from brokerui.messaging import emptied_queues
from brokerui.messaging.errors import WriteLockHeldError
from brokerui.messaging.exchange.queue_notify import wait_for_notification
from brokerui.messaging.leases.selectors import has_messages
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.queue_address import QueueAddress

T = TypeVar("T")


def asked_until_found(ask: Callable[[], T], place: Callable[[], QueueAddress], wait_s: float) -> T:
    """Return what a verb finds, at once or as soon as messages are there; what it finds after `wait_s` seconds
    otherwise. `place` returns the queue, which may be another one after the estate has changed. A thread that has just
    emptied the queue waits for the next notification before it asks. Raises `WriteLockHeldError` where it may have to
    wait and holds the write lock of SQLite for good."""
    end = time.monotonic() + wait_s
    if wait_s > 0 and (sqlite := _locking_connection()) is not None and sqlite.has_written():
        raise WriteLockHeldError
    if emptied_queues.taken(place()) and wait_s > 0:
        _wait(place(), wait_s)
    while not (found := ask()) and (left := end - time.monotonic()) > 0:
        _wait(place(), left)
    return found


def _wait(place: QueueAddress, seconds: float) -> None:
    """Wait until a receive may find a message, at most `seconds`. On SQLite the caller's transaction gives its write
    lock back while it waits, so that others can send; on other databases its locks block no sender."""
    if (sqlite := _locking_connection()) is None:
        wait_for_notification(place, seconds)
        return
    end = time.monotonic() + seconds
    with sqlite.write_lock_released():
        while (left := end - time.monotonic()) > 0:
            wait_for_notification(place, left)
            if _is_something_there(place):
                return


def _locking_connection() -> DatabaseWrapper | None:
    """Return the connection of a transaction that the caller has opened on SQLite."""
    database = connections[DEFAULT_DB_ALIAS]
    return database if isinstance(database, DatabaseWrapper) and database.in_atomic_block else None


def _is_something_there(place: QueueAddress) -> bool:
    """Read without a lock whether a queue has a message."""
    instance = HostedInstance.objects.filter(name=place.instance).first()
    return instance is not None and has_messages(instance.id, (place.database, place.queue))
