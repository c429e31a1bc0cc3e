"""What applications do with the verbs, each in a process of its deployment; they say what they have done as JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from django.db import transaction

from brokerui.messaging.services import Message, conversation_begin, conversation_send, message_receive

QUIET_SECONDS = 60.0
"""An application that waits for more gives up when nothing came for so long."""


def main(instance: str, database: str, function: str, *arguments: str) -> None:
    """Say that it is ready, wait until it may go, and go."""
    work: Callable[..., None] = globals()[function]
    say("ready")
    sys.stdin.readline()
    work(instance, database, *arguments)


def say(what: Any) -> None:
    sys.stdout.write(f"{json.dumps(what)}\n")
    sys.stdout.flush()


def begin(instance: str, database: str, count: str, encryption: str) -> None:
    """So many conversations; their handles."""
    with transaction.atomic():
        handles = [_begin(instance, database, encryption == "on") for _ in range(int(count))]
    say(handles)


def _begin(instance: str, database: str, encryption: bool) -> str:
    begun = conversation_begin(
        instance=instance, database=database, from_service="From", to_service="To", encryption=encryption
    )
    return begun.conversation_handle


def send(instance: str, _database: str, count: str, at_once: str, *handles: str) -> None:
    """So many messages of 1 KB, so many in a transaction, each transaction in the next conversation."""
    took, many = [], int(at_once)
    for turn in range(int(count) // many):
        messages = [Message(os.urandom(1024)) for _ in range(many)]
        began = time.perf_counter()
        with transaction.atomic():
            conversation_send(instance=instance, handles=[handles[turn % len(handles)]], messages=messages)
        took.append(time.perf_counter() - began)
    say({"ended": time.time(), "median_ms": 1000 * sorted(took)[len(took) // 2]})


def receive(instance: str, database: str, count: str) -> None:
    """So many messages, a group in a transaction; each in its order, or it fails."""
    left, expected, last = int(count), dict[str, int](), time.monotonic()
    while left:
        with transaction.atomic():
            messages = message_receive(instance=instance, database=database, queue="dbo.ToQ")
        for message in messages:
            number = expected.get(message.conversation_handle, message.message_sequence_number)
            assert message.message_sequence_number == number, (message.conversation_handle, number)
            expected[message.conversation_handle] = number + 1
        left -= len(messages)
        last = _wait(last, bool(messages))
    say({"ended": time.time()})


def _wait(last: float, is_something: bool) -> float:
    if is_something:
        return time.monotonic()
    assert time.monotonic() - last < QUIET_SECONDS, "no more messages come"
    time.sleep(0.005)
    return last
