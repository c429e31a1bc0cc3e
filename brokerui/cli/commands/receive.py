"""`brokerui receive`: messages from a queue, as JSON lines."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time

from brokerui.cli.arguments import identifier
from brokerui.cli.messaging import HOST_DB_QUEUE, place, verb
from brokerui.core.languages import local
from routing.common.sentence import say


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
    """Commits after the lines are flushed: what nobody has read stays in the queue."""
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
    from brokerui.estate.selectors import estate_current
    from brokerui.messaging.queue_rows import queue_rows
    from brokerui.messaging.services import message_receive, message_reception

    instance, database, queue = options.queue
    with message_reception():
        messages = message_receive(
            instance=instance,
            database=database,
            queue=queue,
            top=options.top,
            conversation_handle=options.conversation,
            conversation_group_id=options.group,
        )
        for row in queue_rows(estate_current().estate, instance, messages):
            sys.stdout.write(f"{json.dumps(row, ensure_ascii=False)}\n")
        sys.stdout.flush()
    return len(messages)
