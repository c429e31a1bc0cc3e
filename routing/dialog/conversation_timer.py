"""BEGIN CONVERSATION TIMER: after a time, a message of type DialogTimer for this side alone."""

from __future__ import annotations

from routing.dialog.problems import Refused
from routing.dialog.states import BEGIN_TIMER, after
from routing.dialog.work import Work


def begin_conversation_timer(work: Work, handle: str, timeout_s: int) -> None:
    """Each side has one; begun again, it starts anew."""
    seen = work.named(handle)
    if isinstance(number := after(seen.is_initiator, seen.state, BEGIN_TIMER), int):
        raise Refused(number, state=seen.state)
    at = work.now + max(timeout_s, 0) * 1000
    if at > seen.lifetime:
        raise Refused(8410)
    work.own(seen).dialog_timer = at
