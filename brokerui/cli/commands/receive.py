"""`brokerui receive`: messages from a queue, as JSON lines."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from brokerui.cli.arguments import identifier
from brokerui.cli.messaging import HOST_DB_QUEUE, place, verb
from brokerui.core.languages import local
from routing.common.sentence import say

if TYPE_CHECKING:
    from routing.dialog.messages import QueuedMessage

LEASE_MS: Final = 30_000
"""How long a lease outlives this process, in milliseconds."""
EXTENDED_EVERY_S: Final = LEASE_MS / 3000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("which queue"))
    parser.add_argument("queue", metavar=HOST_DB_QUEUE, type=place(HOST_DB_QUEUE), help=help_text)
    help_text = local(say("largest number of messages at once (default: all of one conversation group)"))
    parser.add_argument("--top", metavar="N", type=int, help=help_text)
    of = parser.add_mutually_exclusive_group()
    of.add_argument(
        "--conversation", metavar="HANDLE", type=identifier, help=local(say("messages of this conversation only"))
    )
    of.add_argument(
        "--group", metavar="GROUP", type=identifier, help=local(say("messages of this conversation group only"))
    )
    help_text = local(say("milliseconds to wait for the first message (default: 0)"))
    parser.add_argument("--wait", metavar="MS", type=int, default=0, help=help_text)
    parser.add_argument("--follow", action="store_true", help=local(say("continue until Ctrl-C")))


def run(options: argparse.Namespace) -> int:
    """Take messages off the queue after their lines are flushed: those that nobody has read stay in it."""
    with verb("/".join(options.queue)):
        end = math.inf if options.follow else time.monotonic() + options.wait / 1000
        while True:
            is_something = bool(_receive(options))
            left = end - time.monotonic()
            if left <= 0 or (is_something and not options.follow):
                return 0
            if not is_something:
                _wait(options, left)


def _wait(options: argparse.Namespace, seconds: float) -> None:
    from brokerui.messaging.services import message_wait

    instance, database, queue = options.queue
    message_wait(instance=instance, database=database, queue=queue, seconds=seconds)


def _receive(options: argparse.Namespace) -> int:
    """Receive with a lease, and not in a transaction: that would hold its locks for as long as the reader of the lines
    takes, on SQLite the lock of all that write."""
    from brokerui.messaging.leases.services import lease_commit, lease_make, lease_roll_back
    from brokerui.messaging.queue_names import queue_named
    from routing.dialog.batch import ReceiveRequest

    instance, database, queue = queue_named(*options.queue)
    request = ReceiveRequest((database, queue), options.top, options.conversation, options.group)
    owner = os.environ.get("USER") or "brokerui"
    leased = lease_make(instance=instance, request=request, owner=owner, lease_ms=LEASE_MS)
    if leased is None:
        return 0
    mine = {"receipt": leased.receipt, "owner": owner}
    try:
        with _extended(mine):
            _print(instance, leased.messages)
    except BaseException:
        lease_roll_back(**mine)
        raise
    return lease_commit(**mine)


def _print(instance: str, messages: Sequence[QueuedMessage]) -> None:
    from brokerui.estate.selectors import estate_current
    from brokerui.messaging.queue_rows import queue_rows

    for row in queue_rows(estate_current().estate, instance, messages):
        sys.stdout.write(f"{json.dumps(row, ensure_ascii=False)}\n")
    sys.stdout.flush()


@contextmanager
def _extended(mine: dict[str, str]) -> Iterator[None]:
    """Extend a lease in a thread, for as long as the reader of the lines keeps this one waiting."""
    written = Event()
    extending = Thread(target=_extend_until, args=(written, mine), daemon=True)
    extending.start()
    try:
        yield
    finally:
        written.set()
        extending.join()


def _extend_until(written: Event, mine: dict[str, str]) -> None:
    from django.db import DatabaseError, connection

    from brokerui.messaging.errors import MessagingError
    from brokerui.messaging.leases.services import lease_extend

    try:
        while not written.wait(EXTENDED_EVERY_S):
            with suppress(DatabaseError):  # the next time is in time
                lease_extend(**mine, lease_ms=LEASE_MS)
    except MessagingError:
        return  # it is over, and the commit will say so
    finally:
        connection.close()
