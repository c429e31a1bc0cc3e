"""BEGIN CONVERSATION TIMER: after a time, a message of type DialogTimer for this side alone."""

from __future__ import annotations

from routing.dialog.problems import VerbError
from routing.dialog.states import BEGIN_TIMER, next_state
from routing.dialog.unit_of_work import UnitOfWork


def begin_conversation_timer(work: UnitOfWork, handle: str, timeout_s: int) -> None:
    """Each side has one; begun again, it starts anew."""
    seen = work.named(handle)
    if isinstance(number := next_state(seen.is_initiator, seen.state, BEGIN_TIMER), int):
        raise VerbError(number, state=seen.state)
    at = work.now + max(timeout_s, 0) * 1000
    if at > seen.lifetime:
        raise VerbError(8410)
    work.own(seen).dialog_timer = at
