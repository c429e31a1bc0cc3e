"""BEGIN CONVERSATION TIMER: enqueue a DialogTimer message on this side after a timeout."""

from __future__ import annotations

from typing import Final

from routing.dialog.problems import VerbError
from routing.dialog.states import BEGIN_TIMER, next_state
from routing.dialog.unit_of_work import UnitOfWork

MAX_TIMER_S: Final = 2**31 - 1
"""Maximum of the SQL type int, in seconds."""


def begin_conversation_timer(work: UnitOfWork, handle: str, timeout_s: int) -> None:
    """Start the timer of this side, or restart it."""
    seen = work.require(handle)
    if isinstance(number := next_state(seen.is_initiator, seen.state, BEGIN_TIMER), int):
        raise VerbError(number, state=seen.state)
    at = work.now_ms + max(timeout_s, 0) * 1000
    if at > seen.lifetime:
        raise VerbError(8410)
    work.for_update(seen).dialog_timer = at
