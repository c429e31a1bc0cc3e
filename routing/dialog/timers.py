"""Act on everything that is due: conversation timers, lifetimes, retries, removal of closed endpoints."""

from __future__ import annotations

from routing.common.event_subclasses import ConversationSubclass
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
    """Do all due work of the claimed conversations. Idempotent."""
    for handle in work.batch.due:
        seen = work.get(handle)
        if seen is not None:
            _fire(work, work.for_update(seen))


def send_posted(work: UnitOfWork) -> None:
    """Send messages of this unit of work with its own commit if no earlier message of their conversation waits."""
    posted: dict[str, list[OutboundMessage]] = {}
    for message in work.changes.outgoing:
        posted.setdefault(message.conversation_handle, []).append(message)
    for handle, messages in posted.items():
        seen = work.get(handle)
        if seen is not None and _is_next(work, seen, messages[0]):
            work.outgoing = {handle: tuple(messages)}
            attempt_delivery(work, work.for_update(seen), again=False)


def _is_next(work: UnitOfWork, endpoint: Endpoint, message: OutboundMessage) -> bool:
    is_ready = endpoint.ready_since is not None and endpoint.lifetime > work.now_ms
    return is_ready and endpoint.sending_sequence == message.message_sequence_number


def _fire(work: UnitOfWork, endpoint: Endpoint) -> None:
    now_ms = work.now_ms
    if endpoint.dialog_timer is not None and endpoint.dialog_timer <= now_ms:
        endpoint.dialog_timer = None
        work.apply_input(endpoint, TIMER)
        work.enqueue(endpoint, 0, TIMER_TYPE, None, "E")
    if endpoint.state == CD:
        if endpoint.replay_impossible <= now_ms:
            work.apply_input(endpoint, REPLAY_IMPOSSIBLE)
            work.report(ConversationSubclass.TERMINATE_DIALOG, endpoint)
            work.remove(endpoint)
    elif endpoint.lifetime <= now_ms:
        _expire(work, endpoint)
    if endpoint.take_up_at is not None and endpoint.take_up_at <= now_ms:
        endpoint.take_up_at = None  # nothing buffered is ready, else it would have been released before
    if endpoint.state in (SI, CD):
        _probe(work, endpoint)
    else:
        _attempt_if_due(work, endpoint)


def _attempt_if_due(work: UnitOfWork, endpoint: Endpoint) -> None:
    again = endpoint.next_attempt is not None and endpoint.next_attempt <= work.now_ms
    if again or endpoint.ready_since is not None:
        attempt_delivery(work, endpoint, again=again)


def _probe(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Probe the initiator: a target in CD or SI repeats its acknowledgement.

    An initiator that is gone answers with an error; a live one says that its first message cannot arrive again. Either
    way the target endpoint can be removed afterwards."""
    if endpoint.next_attempt is not None and endpoint.next_attempt <= work.now_ms:
        endpoint.attempts += 1
        endpoint.next_attempt = work.now_ms + probe_delay_ms(endpoint.attempts, work.choices)
        send_ack(work, endpoint)


def _expire(work: UnitOfWork, endpoint: Endpoint) -> None:
    """End an endpoint whose lifetime is over by the clock of this instance."""
    before = endpoint.state
    fail_endpoint(work, endpoint, LIFETIME, broker_error(8489))
    if endpoint.state != before:
        work.report(ConversationSubclass.BROKER_INITIATED_ERROR, endpoint)
