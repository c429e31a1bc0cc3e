"""Where a message goes that is sent: straight into the queue of a local target, else into the transmission queue."""

from __future__ import annotations

from routing.dialog.arriving import Answer, arrive, close, take_error
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import Arriving, Outgoing
from routing.dialog.retry import wait
from routing.dialog.states import DO, END_ACKNOWLEDGED
from routing.dialog.work import Place, Work
from routing.events import MessageClassify, OfClassify, OfConversation


def put(
    work: Work,
    endpoint: Endpoint,
    message_type: str,
    body: bytes | None,
    is_end_of_dialog: bool = False,
    is_conversation_error: bool = False,
) -> None:
    """The next message of an own endpoint. TOB-3: straight into the queue where that is local and on, and nothing
    of the conversation waits before it."""
    message = Outgoing(
        endpoint.conversation_handle,
        endpoint.send_sequence,
        message_type,
        body,
        work.now,
        is_end_of_dialog,
        is_conversation_error,
    )
    endpoint.send_sequence += 1
    if endpoint.outgoing:
        work.post(endpoint, message)
        return
    place = work.around.place(endpoint, work.now)
    answer = _offer(work, endpoint, message, place)
    if answer.taken:
        _settled(work, endpoint)
    elif answer.error is not None:
        take_error(work, endpoint, answer.error)
    else:
        work.post(endpoint, message)
        _postpone(work, endpoint, answer.waits)


def attempt(work: Work, endpoint: Endpoint) -> None:
    """What waits in an own endpoint, in its order, as far as it is taken now."""
    endpoint.next_attempt = None
    place = work.around.place(endpoint, work.now)
    for message in work.batch.outgoing.get(endpoint.conversation_handle, ()):
        answer = _offer(work, endpoint, message, place)
        if answer.error is not None:
            take_error(work, endpoint, answer.error)
            return
        if not answer.taken:
            _postpone(work, endpoint, answer.waits)
            return
        work.settle(endpoint, message.message_sequence_number)
        _settled(work, endpoint)
    if endpoint.outgoing:
        endpoint.next_attempt = work.now


def _offer(work: Work, endpoint: Endpoint, message: Outgoing, place: Place) -> Answer:
    """To the endpoint's peer, if its database is of this instance."""
    here = place.directory
    _classify(work, endpoint, place)
    if here is None:
        return Answer(taken=False, waits=place.status)
    endpoint.kept_route, endpoint.kept_identifier = place.route, place.identifier
    endpoint.kept_database = here.database
    answer = arrive(work, here, _addressed(work, endpoint, message))
    if answer.taken:
        endpoint.transmitted = message.message_sequence_number + 1
        endpoint.far_broker_instance = here.broker_instance  # RT-PIN
        _no_replay(work, endpoint)
    return answer


def _addressed(work: Work, endpoint: Endpoint, message: Outgoing) -> Arriving:
    return Arriving(
        endpoint.conversation_id,
        endpoint.is_initiator,
        endpoint.service_name,
        work.around.directory(endpoint.database).broker_instance,
        endpoint.far_service,
        endpoint.far_broker_instance,
        endpoint.service_contract_name,
        endpoint.lifetime,
        endpoint.encryption,
        message.message_sequence_number,
        message.message_type_name,
        message.message_body,
        message.is_end_of_dialog,
        message.is_conversation_error,
    )


def _no_replay(work: Work, endpoint: Endpoint) -> None:
    """The first message is gone from its sender with the same commit: its target knows."""
    if endpoint.is_initiator and endpoint.transmitted == 1 and (target := work.of(endpoint.peer)) is not None:
        work.own(target).security_timestamp = work.now


def _settled(work: Work, endpoint: Endpoint) -> None:
    """A message of an own endpoint was taken. If it was the one that ended the conversation, this side is through."""
    endpoint.attempts = endpoint.transmission_status = 0
    if endpoint.state == DO and endpoint.outgoing == 0:
        work.step(endpoint, END_ACKNOWLEDGED)
        work.tell(OfConversation.RECEIVED_END_CONVERSATION_ACK, endpoint)
        close(work, endpoint)


def _postpone(work: Work, endpoint: Endpoint, status: int) -> None:
    endpoint.attempts += 1
    endpoint.transmission_status = status
    endpoint.next_attempt = work.now + wait(endpoint.attempts, work.choices)


def _classify(work: Work, endpoint: Endpoint, place: Place) -> None:
    if place.directory is not None:
        kind = OfClassify.LOCAL
    else:
        kind = OfClassify.DELAYED if place.status else OfClassify.REMOTE
    work.changes.events.append(
        MessageClassify(
            kind,
            endpoint.database,
            endpoint.conversation_id,
            endpoint.far_service,
            endpoint.far_broker_instance,
            place.address,
            False,
            place.status,
        )
    )
