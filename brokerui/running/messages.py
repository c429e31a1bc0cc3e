"""Messages of the supervisor, on the terminal and in its log."""

from __future__ import annotations

import signal
import sys

from brokerui.core.languages import local
from brokerui.running.child import Child
from routing.common.sentence import Sentence, say


def print_line(sentence: Sentence) -> None:
    """Print a line on standard output."""
    try:
        sys.stdout.write(f"{local(sentence)}\n")
        sys.stdout.flush()
    except OSError:
        return


def print_error(text: str) -> None:
    """Print a line on standard error, if it is still open."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        return


def print_failure(text: str) -> None:
    """Print an error the way commands do."""
    print_error(f"error: {text}")


def login_line(name: str, password: str) -> Sentence:
    if not password:
        return say("sign in as {name} with the password of BROKERUI_ADMIN_PASSWORD", name=name)
    return say(
        "sign in as {name} with {password} (shown once; change it under your name)", name=name, password=password
    )


def restart_line(child: Child, status: int) -> Sentence:
    return say(
        "{name} ended ({how}) and is started again; its log: {log}",
        name=child.program.name,
        how=exit_text(status),
        log=child.log.path,
    )


def failure_text(child: Child, status: int) -> str:
    sentence = say(
        "{name} ended ({how}); its log, {log}, ends:",
        name=child.program.name,
        how=exit_text(status),
        log=child.log.path,
    )
    return f"{local(sentence)}\n{child.log.tail()}"


def exit_text(status: int) -> str:
    """Name an exit status: `exit N`, or the signal."""
    if status >= 0:
        return f"exit {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
