"""Signals while the endpoint ends: in a program of its own, as the signals are the process's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from brokerui.core.home import CHECKOUT

# Ends as the endpoint does, after a signal or by itself, and at the given event of closing the loop (a call of Python
# that returns) sends SIGTERM. Prints how many events there were, once the signal came after the last of them.
CLOSE = """
import asyncio, os, signal, sys
from brokerui.messaging.endpoint.stopping import stop_on_signals

async def serve(is_told):
    stop = asyncio.Event()
    stop_on_signals(stop)
    if is_told:
        os.kill(os.getpid(), signal.SIGTERM)
        await stop.wait()

def close(at, is_told):
    left = at
    def on_event(_frame, event, _result):
        nonlocal left
        if event in ("return", "c_return"):
            left -= 1
            if left == 0:
                sys.setprofile(None)
                os.kill(os.getpid(), signal.SIGTERM)
    runner = asyncio.Runner()
    runner.run(serve(is_told))
    sys.setprofile(on_event)
    runner.close()
    sys.setprofile(None)
    return left

for is_told in (False, True):
    at = 1
    while close(at, is_told) <= 0:
        at += 1
    print(at)
os.kill(os.getpid(), signal.SIGTERM)
"""


def program(*words: str) -> subprocess.CompletedProcess[str]:
    arguments: Sequence[str] = (sys.executable, "-c", *words)
    return subprocess.run(arguments, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=60)


def test_a_signal_at_any_moment_of_the_end_prints_nothing_and_kills_nothing() -> None:
    ended = program(CLOSE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert min(map(int, ended.stdout.split())) > 20, "moments of closing the loop"
