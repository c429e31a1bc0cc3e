"""Ends the endpoint when a signal asks for it, also when that signal comes again while the endpoint ends."""

from __future__ import annotations

import asyncio
import signal

STOPPING = (signal.SIGINT, signal.SIGTERM)


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set `stop` at the first SIGTERM or Ctrl-C, in the running loop; the process ignores those that follow.

    With `loop.add_signal_handler` a signal that comes while the loop closes is written to a descriptor that is closed
    already, which prints a traceback, and a later one kills the process.
    """
    loop = asyncio.get_running_loop()

    def on_signal(*_signal: object) -> None:
        for number in STOPPING:
            signal.signal(number, signal.SIG_IGN)
        if not loop.is_closed():
            loop.call_soon_threadsafe(stop.set)

    for number in STOPPING:
        signal.signal(number, on_signal)
