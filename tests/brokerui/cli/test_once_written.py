"""Commands that change something: their answer is written before the commit, and nobody waits for its reader."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import PIPE_BUF
from threading import Event, Thread

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from brokerui.cli.product import once_written
from routing.common.errors import InputError

pytestmark = pytest.mark.django_db(transaction=True)
LONG = f"{'x' * PIPE_BUF}\n"
ENTERED_S = 0.3
"""Seconds for a transaction to begin that must not; one that does begin is found within them."""


@contextmanager
def piped(monkeypatch: pytest.MonkeyPatch, *, is_read: bool = True) -> Iterator[int]:
    """Standard output is a pipe of one page; gives the end to read from. In a fixture pytest would take it back."""
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, PIPE_BUF)
    if not is_read:
        os.close(read)
    output = os.fdopen(write, "w", encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", output)
        yield read
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), write)  # takes what the reader did not
    output.close()
    if is_read:
        os.close(read)


def groups() -> set[str]:
    """Those that a test has made: the product has its own."""
    return set(Group.objects.filter(name__in=("command", "other")).values_list("name", flat=True))


def change(answer: str, entered: Event) -> None:
    """What a command does; `entered` is set when the transaction has begun."""
    try:
        with once_written() as answer_with:
            Group.objects.create(name="command")
            answer_with(answer)
            entered.set()
    finally:
        connection.close()


def test_others_write_while_nobody_reads_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    entered = Event()
    with piped(monkeypatch) as read:
        os.write(sys.stdout.fileno(), b"x" * PIPE_BUF)
        command = Thread(target=change, args=("done\n", entered))
        command.start()
        entered.wait(ENTERED_S)
        Group.objects.create(name="other")
        assert groups() == {"other"}
        assert os.read(read, PIPE_BUF) == b"x" * PIPE_BUF
        command.join()
        assert os.read(read, PIPE_BUF) == b"done\n"
    assert groups() == {"other", "command"}


def test_a_long_answer_is_written_once_all_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    with piped(monkeypatch) as read:
        command = Thread(target=change, args=(LONG, Event()))
        command.start()
        assert os.read(read, PIPE_BUF) == b"x" * PIPE_BUF
        assert groups() == {"command"}
        assert os.read(read, PIPE_BUF) == b"\n"
        command.join()


def test_a_long_answer_that_cannot_be_written_says_that_all_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = "everything is done, but the answer cannot be written: Broken pipe"
    with piped(monkeypatch, is_read=False), pytest.raises(InputError, match=problem):
        change(LONG, Event())
    assert groups() == {"command"}


def test_a_short_answer_that_cannot_be_written_leaves_nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    with piped(monkeypatch, is_read=False), pytest.raises(BrokenPipeError):
        change("done\n", Event())
    assert groups() == set()
