"""What happens by itself, when its time has come: timers, lifetimes, further attempts, forgetting the closed."""

from __future__ import annotations

from routing.common.broker_events import ConversationSubclass
from routing.common.retry import probe_delay_ms
from routing.dialog.control_messages import send_ack
from routing.dialog.endpoint import Endpoint
from routing.dialog.error_message import broker_error
from routing.dialog.inbound_message import fail_endpoint
from routing.dialog.messages import OutboundMessage
from routing.dialog.outbound import attempt_delivery
from routing.dialog.states import CD, LIFETIME, REPLAY_IMPOSSIBLE, SI, TIMER
from routing.dialog.system_names import TIMER_TYPE
from routing.dialog.unit_of_work import UnitOfWork


def fire_due(work: UnitOfWork) -> None:
    """Do what is due in the conversations of the batch. Done twice, it is done once."""
    for handle in work.batch.due:
        seen = work.seen(handle)
        if seen is not None:
            _fire(work, work.own(seen))


def send_posted(work: UnitOfWork) -> None:
    """What was posted here leaves with its commit, where nothing of its conversation waits before it."""
    posted: dict[str, list[OutboundMessage]] = {}
    for message in work.changes.outgoing:
        posted.setdefault(message.conversation_handle, []).append(message)
    for handle, messages in posted.items():
        seen = work.seen(handle)
        if seen is not None and _is_next(work, seen, messages[0]):
            work.outgoing = {handle: tuple(messages)}
            attempt_delivery(work, work.own(seen), again=False)


def _is_next(work: UnitOfWork, endpoint: Endpoint, message: OutboundMessage) -> bool:
    is_ready = endpoint.ready_since is not None and endpoint.lifetime > work.now
    return is_ready and endpoint.sending_sequence == message.message_sequence_number


def _fire(work: UnitOfWork, endpoint: Endpoint) -> None:
    now = work.now
    if endpoint.dialog_timer is not None and endpoint.dialog_timer <= now:
        endpoint.dialog_timer = None
        work.step(endpoint, TIMER)
        work.enqueue(endpoint, 0, TIMER_TYPE, None, "E")
    if endpoint.state == CD:
        if endpoint.replay_impossible <= now:
            work.step(endpoint, REPLAY_IMPOSSIBLE)
            work.tell(ConversationSubclass.TERMINATE_DIALOG, endpoint)
            work.remove(endpoint)
    elif endpoint.lifetime <= now:
        _expire(work, endpoint)
    if endpoint.take_up_at is not None and endpoint.take_up_at <= now:
        endpoint.take_up_at = None  # nothing that it holds is ready, else it would have been taken up before
    if endpoint.state in (SI, CD):
        _probe(work, endpoint)
    else:
        _attempt_if_due(work, endpoint)


def _attempt_if_due(work: UnitOfWork, endpoint: Endpoint) -> None:
    again = endpoint.next_attempt is not None and endpoint.next_attempt <= work.now
    if again or endpoint.ready_since is not None:
        attempt_delivery(work, endpoint, again=again)


def _probe(work: UnitOfWork, endpoint: Endpoint) -> None:
    """A target that is closed, or of which no application knows yet, says once more what it has: an initiator that has
    gone answers that it has, others that their first message will not come again. Then it can go too."""
    if endpoint.next_attempt is not None and endpoint.next_attempt <= work.now:
        endpoint.attempts += 1
        endpoint.next_attempt = work.now + probe_delay_ms(endpoint.attempts, work.choices)
        send_ack(work, endpoint)


def _expire(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Each side finds it out by its own clock."""
    before = endpoint.state
    fail_endpoint(work, endpoint, LIFETIME, broker_error(8489))
    if endpoint.state != before:
        work.tell(ConversationSubclass.BROKER_INITIATED_ERROR, endpoint)
