"""A signal that comes again while the endpoint ends: in a program of its own, as the signals are the process's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from brokerui.core.home import CHECKOUT

# Ends as the endpoint does, and at the given event of closing the loop (a call of Python that returns) sends SIGTERM
# again. Prints how many events there were, once the signal came after the last of them.
CLOSE = """
import asyncio, os, signal, sys
from brokerui.messaging.endpoint.stopping import stop_on_signals

async def serve():
    stop = asyncio.Event()
    stop_on_signals(stop)
    os.kill(os.getpid(), signal.SIGTERM)
    await stop.wait()

def close(at):
    left = at
    def on_event(_frame, event, _result):
        nonlocal left
        if event in ("return", "c_return"):
            left -= 1
            if left == 0:
                sys.setprofile(None)
                os.kill(os.getpid(), signal.SIGTERM)
    runner = asyncio.Runner()
    runner.run(serve())
    sys.setprofile(on_event)
    runner.close()
    sys.setprofile(None)
    return left

at = 1
while close(at) <= 0:
    at += 1
os.kill(os.getpid(), signal.SIGTERM)
print(at)
"""


def program(*words: str) -> subprocess.CompletedProcess[str]:
    arguments: Sequence[str] = (sys.executable, "-c", *words)
    return subprocess.run(arguments, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=60)


def test_a_second_signal_at_any_moment_of_the_end_prints_nothing_and_kills_nothing() -> None:
    ended = program(CLOSE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) > 20, "moments of closing the loop"
