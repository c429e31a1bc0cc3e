"""END CONVERSATION: without an error, WITH ERROR, or WITH CLEANUP."""

from __future__ import annotations

from routing.common.event_subclasses import ConversationSubclass
from routing.dialog.discarding import empty_queue_of_ended
from routing.dialog.endpoint import Endpoint
from routing.dialog.error_message import MAX_DESCRIPTION_CHARACTERS, MAX_ERROR_CODE, error_body
from routing.dialog.inbound_message import close_endpoint, stop_sending
from routing.dialog.outbound import enqueue
from routing.dialog.problems import VerbError
from routing.dialog.states import CO, DO, END, END_WITH_CLEANUP, END_WITH_ERROR, DialogInput, next_state
from routing.dialog.system_names import END_DIALOG_TYPE, ERROR_TYPE
from routing.dialog.unit_of_work import UnitOfWork


def end_conversation(work: UnitOfWork, handle: str) -> None:
    """End without an error. Messages sent before are delivered first."""
    endpoint = _end_receiving(work, handle, END)
    if endpoint.state == DO:
        endpoint.end_dialog_sequence = endpoint.send_sequence
        enqueue(work, endpoint, END_DIALOG_TYPE, None, is_end_of_dialog=True)
    else:
        close_endpoint(work, endpoint)


def end_with_error(work: UnitOfWork, handle: str, code: int, description: str) -> None:
    """End with an error. Messages not sent yet are dropped."""
    if not 0 < code <= MAX_ERROR_CODE or not description or len(description) > MAX_DESCRIPTION_CHARACTERS:
        raise VerbError(8419, most=MAX_ERROR_CODE, longest=MAX_DESCRIPTION_CHARACTERS)
    seen = work.require(handle)
    # Nothing was sent: the peer has no endpoint, and an error cannot be the first message (11277).
    untold = seen.is_initiator and seen.state == CO and not seen.transmitted
    body = error_body(code, description)
    endpoint = _end_receiving(work, handle, END_WITH_CLEANUP if untold else END_WITH_ERROR, len(body))
    if endpoint.state == DO:
        work.drop_outgoing(endpoint, endpoint.transmitted)
        endpoint.send_sequence = endpoint.end_dialog_sequence = endpoint.transmitted
        enqueue(work, endpoint, ERROR_TYPE, body, is_conversation_error=True)
    else:
        close_endpoint(work, endpoint)


def end_with_cleanup(work: UnitOfWork, handle: str) -> None:
    """Delete the endpoint and all its messages without notifying the peer."""
    endpoint = work.for_update(work.require(handle))
    work.apply_input(endpoint, END_WITH_CLEANUP)
    work.report(ConversationSubclass.END_CONVERSATION_WITH_CLEANUP, endpoint)
    work.remove(endpoint)


def _end_receiving(work: UnitOfWork, handle: str, given: DialogInput, size: int = 0) -> Endpoint:
    """Apply the end to the endpoint and empty its queue. `size`: bytes of the error body."""
    seen = work.require(handle)
    if isinstance(number := next_state(seen.is_initiator, seen.state, given), int):
        raise VerbError(number, state=seen.state)
    endpoint = work.for_update(seen)
    work.apply_input(endpoint, given)
    if endpoint.state == DO:
        empty_queue_of_ended(work, endpoint)
    else:
        work.empty_queue(endpoint)
    plain = given == END
    subclass = ConversationSubclass.END_CONVERSATION if plain else ConversationSubclass.END_CONVERSATION_WITH_ERROR
    if endpoint.state == DO:
        work.report(subclass, endpoint, endpoint.send_sequence if plain else endpoint.transmitted, size)
    else:
        work.report(subclass, endpoint)
        stop_sending(work, endpoint)
    return endpoint
