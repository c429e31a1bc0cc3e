"""What applications do with the verbs, each in a process of its deployment; they say what they have done as JSON."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.db import Error, connection, transaction
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.accounts.services import roles_ensure, user_create
from brokerui.messaging.errors import BusyError
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_send,
    message_receive,
)
from routing.dialog.problems import VerbError

QUIET_SECONDS = 60.0
"""An application that waits for more gives up after this time without one."""


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
    """Begin `count` conversations and print their handles."""
    with transaction.atomic():
        handles = [_begin(instance, database, encryption == "on") for _ in range(int(count))]
    say(handles)


def _begin(instance: str, database: str, encryption: bool) -> str:
    begun = conversation_begin(
        instance=instance, database=database, from_service="From", to_service="To", encryption=encryption
    )
    return begun.conversation_handle


def send(instance: str, _database: str, count: str, at_once: str, *handles: str) -> None:
    """Send `count` messages of 1 KB, `at_once` in a transaction, each transaction in the next conversation."""
    took, many = [], int(at_once)
    for turn in range(int(count) // many):
        messages = [Message(os.urandom(1024)) for _ in range(many)]
        began = time.perf_counter()
        with transaction.atomic():
            conversation_send(instance=instance, handles=[handles[turn % len(handles)]], messages=messages)
        took.append(time.perf_counter() - began)
    say({"ended": time.time(), "median_ms": 1000 * sorted(took)[len(took) // 2]})


def send_alone(instance: str, _database: str, count: str, *handles: str) -> None:
    """Send `count` messages of 1 KB, each in a transaction of SEND's own and in the next conversation."""
    for turn in range(int(count)):
        message = Message(os.urandom(1024))
        conversation_send(instance=instance, handles=[handles[turn % len(handles)]], messages=[message])
    say({"ended": time.time()})


def receive(instance: str, database: str, count: str) -> None:
    """Receive `count` messages, a group in a transaction; fail if one is out of order."""
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


def send_evenly(instance: str, _database: str, rate: str, count: str, at_once: str, *handles: str) -> None:
    """Send `rate` messages a second, `at_once` in a transaction; their bodies begin with the time before."""
    due, many = time.monotonic(), int(at_once)
    for turn in range(int(count) // many):
        time.sleep(max(0.0, due - time.monotonic()))
        due += many / float(rate)
        began = repr(time.time()).encode().ljust(64)
        messages = [Message(began + os.urandom(960)) for _ in range(many)]
        conversation_send(instance=instance, handles=[handles[turn % len(handles)]], messages=messages)
    say("sent")


def arrivals(instance: str, database: str, count: str) -> None:
    """Print how long each of `count` messages took until it was received and committed, in milliseconds."""
    took: list[float] = []
    while len(took) < int(count):
        messages = message_receive(instance=instance, database=database, queue="dbo.ToQ", wait_s=QUIET_SECONDS)
        now = time.time()
        took += [1000 * (now - float((message.message_body or b"")[:64])) for message in messages]
    say(took)


def cookies(_instance: str, _database: str, count: str) -> None:
    """Print the cookie of each of `count` operators who have signed in."""
    roles_ensure()
    found = []
    for number in range(int(count)):
        browser = Client()
        user = user_create(name=f"watcher{number}", password="correct horse battery staple", role=Role.OPERATOR)
        browser.force_login(user, backend="brokerui.accounts.backend.Backend")
        found.append(browser.cookies[settings.SESSION_COOKIE_NAME].output(attrs=[], header="").strip())
    say(found)


def send_timed(instance: str, _database: str, count: str, *handles: str) -> None:
    """Print how long each of `count` SENDs took until it was committed, in milliseconds."""
    took = []
    for number in range(int(count)):
        began = time.perf_counter()
        conversation_send(instance=instance, handles=[handles[number % len(handles)]], messages=[Message(bytes(1024))])
        took.append(1000 * (time.perf_counter() - began))
        time.sleep(0.02)
    say(took)


def _wait(last: float, is_something: bool) -> float:
    if is_something:
        return time.monotonic()
    assert time.monotonic() - last < QUIET_SECONDS, "no more messages come"
    time.sleep(0.005)
    return last


# ---------------------------------------------------------------- with a record of what they do, whatever fails
AT_ONCE = 5
"""Conversations in which a transaction sends."""
ANSWERED = 10
"""Every such message of a conversation is answered."""
SIZES = (*(960,) * 98, 9_000, 200_000)
"""Bytes of bodies; the largest go in fragments."""
_stopped = False
_partners: list[str] = []
"""Instances that have the database in turn; the one that has it comes first."""


def load(instance: str, _database: str, rate: str, seed: str, *handles: str) -> None:
    """Send about `rate` messages a second until SIGTERM, in random conversations."""
    chosen, numbers = random.Random(int(seed)), Counter[str]()
    _begin_work(instance)
    due = time.monotonic()
    while not _stopped:
        due = max(due + AT_ONCE / float(rate), time.monotonic() - 1)
        some = chosen.sample(handles, AT_ONCE)
        if _tried(partial(_send_recorded, {handle: numbers[handle] for handle in some})):
            numbers.update(some)
        time.sleep(max(0.0, due - time.monotonic()))
    say(sum(numbers.values()))


def consume(instance: str, database: str, queue: str) -> None:
    """Whatever comes, until SIGTERM; some of it is answered."""
    _begin_work(instance)
    while not _stopped:
        if not _tried(partial(_receive_recorded, database, queue)):
            time.sleep(0.02)
    say("stopped")


def _begin_work(instance: str) -> None:
    _partners[:] = [instance, f"{instance}M"]

    def stop(*_signal: object) -> None:
        global _stopped  # noqa: PLW0603
        _stopped = True

    signal.signal(signal.SIGTERM, stop)


def _tried(work: Callable[[], bool]) -> bool:
    """In a transaction, again and again until it is committed: what it records tells whether it was before."""
    while True:
        try:
            with transaction.atomic():
                return work()
        except VerbError:
            _partners.reverse()  # the other one has the database now
            time.sleep(0.1)
        except (Error, BusyError, OSError) as error:
            sys.stderr.write(f"{type(error).__name__}: {str(error)[:200]}\n")
            connection.close()
            time.sleep(0.1)
        if _stopped:
            return False


def _send_recorded(numbers: dict[str, int]) -> bool:
    for handle, number in numbers.items():
        if not _is_recorded(handle, number):
            _send_one(handle, handle, number)
    return True


def _is_recorded(handle: str, number: int) -> bool:
    """Nobody knows whether a transaction was committed whose connection broke meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM app_sent WHERE conversation = %s AND number = %s", (handle, number))
        return cursor.fetchone() is not None


def _send_one(handle: str, name: str, number: int) -> None:
    body = json.dumps([name, number]).encode().ljust(64) + os.urandom(random.choice(SIZES))
    conversation_send(instance=_partners[0], handles=[handle], messages=[Message(body)])
    _record("INSERT INTO app_sent (conversation, number, digest) VALUES (%s, %s, %s)", body)


def _receive_recorded(database: str, queue: str) -> bool:
    messages = message_receive(instance=_partners[0], database=database, queue=queue)
    for message in messages:
        assert message.message_body is not None
        _, number = _record(
            "INSERT INTO app_received (conversation, number, digest) VALUES (%s, %s, %s)", message.message_body
        )
        if queue == "dbo.ToQ" and number % ANSWERED == 0:
            _send_one(message.conversation_handle, message.conversation_handle, number // ANSWERED)
    return bool(messages)


def _record(sql: str, body: bytes) -> tuple[str, int]:
    """The head of a body says which message it is."""
    name, number = json.loads(body[:64])
    with connection.cursor() as cursor:
        cursor.execute(sql, (name, number, hashlib.sha256(body).hexdigest()))
    return name, number
