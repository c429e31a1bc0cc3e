"""Where a message goes that is sent: straight into the queue of a local target, else into the transmission queue."""

from __future__ import annotations

from routing.common.broker_events import MessageClassify, OfClassify
from routing.dialog.arriving import Answer, arrive, take_error
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import Arriving, Outgoing
from routing.dialog.transmitting import has_room, postpone, settled, transmit
from routing.dialog.work import Place, Work


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
        if has_room(work, endpoint):
            endpoint.ready_since = endpoint.ready_since or work.now
        return
    place = work.place(endpoint)
    if place.address:
        work.post(endpoint, message)
        endpoint.ready_since = work.now  # the drain sends it, after the commit
        return
    _classify(work, endpoint, place)
    answer = _offer(work, endpoint, message, place)
    if answer.taken:
        settled(work, endpoint)
    elif answer.error is not None:
        take_error(work, endpoint, answer.error)
    else:
        work.post(endpoint, message)
        postpone(work, endpoint, answer.waits)


def attempt(work: Work, endpoint: Endpoint, *, again: bool) -> None:
    """What waits in an own endpoint, as far as it can go now. `again`: also what was sent and not acknowledged."""
    endpoint.ready_since = None
    if again:
        endpoint.next_attempt = None
    if not endpoint.outgoing:
        return
    place = work.place(endpoint)
    _classify(work, endpoint, place)
    if place.address:
        transmit(work, endpoint, place, again=again)
    elif again or not endpoint.in_flight:
        _attempt_here(work, endpoint, place)
    else:
        endpoint.next_attempt = work.now  # its way has become a local one: with what is in flight, in order


def _attempt_here(work: Work, endpoint: Endpoint, place: Place) -> None:
    """In its order, as far as it is taken now."""
    for message in work.outgoing.get(endpoint.conversation_handle, ()):
        answer = _offer(work, endpoint, message, place)
        if answer.error is not None:
            take_error(work, endpoint, answer.error)
            return
        if not answer.taken:
            postpone(work, endpoint, answer.waits)
            return
        settled(work, endpoint)
    if endpoint.outgoing:
        endpoint.next_attempt = work.now


def _offer(work: Work, endpoint: Endpoint, message: Outgoing, place: Place) -> Answer:
    """To the endpoint's peer, if its database is of this instance."""
    here = place.directory
    if here is None:
        return Answer(taken=False, waits=place.status)
    endpoint.kept_route, endpoint.kept_identifier = place.route, place.identifier
    endpoint.kept_database = here.database
    answer = arrive(work, here, _addressed(work, endpoint, message))
    if answer.taken:
        if endpoint.outgoing:
            work.settle(endpoint, message.message_sequence_number + 1)
        else:
            _skip_the_queue(endpoint)
        endpoint.far_broker_instance = here.broker_instance  # RT-PIN
        _no_replay(work, endpoint)
    return answer


def _skip_the_queue(endpoint: Endpoint) -> None:
    """TOB-3: the message has arrived without ever standing in the transmission queue."""
    endpoint.acknowledged_sequence = endpoint.sending_sequence = endpoint.transmitted = endpoint.send_sequence


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
    if endpoint.is_initiator and endpoint.acknowledged_sequence == 1 and (target := work.of(endpoint.peer)) is not None:
        work.own(target).security_timestamp = work.now


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
            endpoint.service_name,
            endpoint.is_initiator,
            place.route,
        )
    )
