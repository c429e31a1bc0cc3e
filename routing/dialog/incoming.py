"""Fragments that came over the network, before the endpoint they are meant for: put together, in order, once.

What comes is kept, and then acknowledged; or it is not kept, and its sender sends it again; or nobody will ever take
it, and its sender is told. A whole message in its turn goes the same way as one of this instance (`arriving`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from routing.adjacent.errors import Corrupted, RemoteProtocolError
from routing.adjacent.fragment import Fragment, Header
from routing.adjacent.guard import Guard
from routing.adjacent.limits import MAX_MILLISECONDS
from routing.common.broker_events import (
    AuditBrokerConversation,
    CorruptedMessage,
    MessageUndeliverable,
    OfAcknowledgement,
    OfAudit,
    OfUndeliverable,
)
from routing.common.identifier import identifier_of
from routing.common.retry import wait_to_probe
from routing.common.sentence import say
from routing.dialog.answering import tell_error
from routing.dialog.arriving import ELSEWHERE, Answer, begin_target, refuse_first, refused, take_error
from routing.dialog.directory import Directory
from routing.dialog.endpoint import LONGEST_LIFETIME_S, Endpoint
from routing.dialog.error_message import broker_error
from routing.dialog.holding import deliver, forget_if_empty, held_as, hold, will_be_refused
from routing.dialog.messages import Arriving
from routing.dialog.pinning import ANOTHER, is_known, pin, stranger
from routing.dialog.receipts import Fate, has_whole, note
from routing.dialog.states import CD, DO, NONE, PART, SI, STRAY, Input, after
from routing.dialog.transmitting import take_acknowledgement
from routing.dialog.work import Work
from routing.security.bindings import Protection
from routing.security.policy import SECURED, Undeliverable, opened

TOO_LONG: Final = 8459
"""Why a fragment is not kept of whose message more is to come than this instance puts together. It is left to its
sender, whose setting is another."""

_AUDITED: Final[Mapping[int | None, OfAudit]] = {11229: OfAudit.NO_CERTIFICATE, 11232: OfAudit.NO_SECURITY_HEADER}
_CUT_ANEW: Final = Corrupted("fragments", say("are not as many as other fragments of the message have said"))


def take(work: Work, here: Directory, fragment: Fragment) -> None:
    """A fragment for a database of this instance, which routing has found."""
    header = fragment.header
    conversation = identifier_of(header.conversation_id)
    endpoint = work.of((conversation, not header.is_initiator))
    if endpoint is not None and endpoint.database != here.database:
        _undeliverable(work, here, conversation, header, ELSEWHERE)
        return
    try:
        guard = _guard(work, here, fragment, endpoint)
        body = opened(fragment, guard)
    except Corrupted as corrupted:
        tell_corrupted(work, here.database, conversation, corrupted)
        if fragment.integrity in SECURED:
            _audit(work, here, conversation, OfAudit.INVALID_SIGNATURE, corrupted)
    except Undeliverable as objection:
        _undeliverable(work, here, conversation, header, objection.number or 0)
        if (subclass := _AUDITED.get(objection.number)) is not None:
            _audit(work, here, conversation, subclass, objection)
    else:
        _take_opened(work, here, header, conversation, endpoint, guard, body)


def tell_corrupted(work: Work, database: str, conversation: str, corrupted: RemoteProtocolError) -> None:
    """INT-1: discarded, not acknowledged, and told."""
    work.changes.events.append(CorruptedMessage(database, conversation, str(corrupted), corrupted.number or 0))


def _audit(work: Work, here: Directory, conversation: str, subclass: OfAudit, objection: RemoteProtocolError) -> None:
    work.changes.events.append(AuditBrokerConversation(subclass, here.database, conversation, str(objection)))


def _guard(work: Work, here: Directory, fragment: Fragment, endpoint: Endpoint | None) -> Guard:
    """The dialog's own protection; of one that nothing has come of yet, that of its first fragment."""
    asked = Protection(fragment.integrity, fragment.key_id)
    if endpoint is not None and endpoint.integrity:
        asked = Protection(endpoint.integrity, endpoint.key_id)
    header = fragment.header
    return work.around.security.guard(here.database, asked, header.conversation_id, not header.is_initiator)


def _undeliverable(work: Work, here: Directory, conversation: str, header: Header, reason: int) -> None:
    kind = OfUndeliverable.SEQUENCED_MESSAGE if header.is_sequenced else OfUndeliverable.UNSEQUENCED_MESSAGE
    work.changes.events.append(MessageUndeliverable(kind, here.database, conversation, header.sequence, -1, reason))


# ---------------------------------------------------------------- whom it is for


def _take_opened(
    work: Work,
    here: Directory,
    header: Header,
    conversation: str,
    endpoint: Endpoint | None,
    guard: Guard,
    body: bytes,
) -> None:
    message = _message(work, header, conversation, body)
    if endpoint is None:
        endpoint = _begun(work, here, header, message, guard)
        if endpoint is None:
            return
    elif stranger(endpoint, header.names.from_broker_instance):
        _turn_away(work, here, endpoint, message, guard)
        return
    endpoint = _take_what_rides(work, endpoint, header)
    if work.seen(endpoint.conversation_handle) is None:
        return  # its end was acknowledged, and it is gone
    if header.is_sequenced and not is_known(endpoint, header.names.from_broker_instance):
        _undeliverable(work, here, conversation, header, 11217)  # its acknowledgement comes first, and with it again
    elif header.is_sequenced:
        _take_sequenced(work, here, endpoint, header, message, guard)
        forget_if_empty(work, endpoint)
    elif header.is_error:
        _take_broker_error(work, work.own(endpoint), body)


def _message(work: Work, header: Header, conversation: str, body: bytes) -> Arriving:
    names = header.names
    left = header.time_to_live - header.time_consumed
    is_endless = header.time_to_live == MAX_MILLISECONDS
    return Arriving(
        conversation,
        header.is_initiator,
        names.from_service,
        names.from_broker_instance,
        names.to_service,
        names.to_broker_instance,
        names.contract,
        work.now + (LONGEST_LIFETIME_S * 1000 if is_endless else max(left, 0)),
        False,
        header.sequence,
        names.message_type,
        body,
        header.is_end,
        header.is_error and header.is_sequenced,
    )


def _begun(work: Work, here: Directory, header: Header, message: Arriving, guard: Guard) -> Endpoint | None:
    """The endpoint that a fragment makes; None: it makes none."""
    if not header.is_sequenced and header.is_error:
        return None  # for a conversation that has ended here too
    if header.is_sequenced and header.time_consumed >= header.time_to_live:
        _undeliverable(work, here, message.conversation_id, header, 11291)
        return None  # acknowledged, it would be lost at once; its sender finds out by its own clock
    refusal = refuse_first(work, here, message, is_stray=header.has_begun or not header.is_sequenced)
    if refusal is not None:
        _answer(work, _stand_in(work, here, message), refusal, guard)
        return None
    endpoint = begin_target(work, here, message, PART)
    endpoint.next_attempt = work.now + wait_to_probe(0, work.choices)
    endpoint.integrity, endpoint.key_id = guard.integrity, guard.key_id
    return endpoint


def _stand_in(work: Work, here: Directory, message: Arriving) -> Endpoint:
    """The side that a message was meant for, as if it were there: somebody has to answer."""
    return Endpoint(
        "",
        message.conversation_id,
        not message.from_initiator,
        here.database,
        message.to_service,
        "",
        message.from_service,
        message.from_broker_instance,
        message.service_contract_name,
        "",
        message.lifetime,
        NONE,
        0,
    )


def _answer(work: Work, side: Endpoint, answer: Answer, guard: Guard) -> None:
    if answer.error is not None:
        tell_error(work, side, answer.error, guard)


def _turn_away(work: Work, here: Directory, endpoint: Endpoint, message: Arriving, guard: Guard) -> None:
    """RT-STICKY: another target took the conversation too, and the first to acknowledge has won."""
    if endpoint.is_initiator:
        tell_error(work, _stand_in(work, here, message), broker_error(ANOTHER), guard)
    else:
        refused(work, here, message, endpoint.receive_sequence, 11209)


# ---------------------------------------------------------------- what it says besides its body


def _take_what_rides(work: Work, endpoint: Endpoint, header: Header) -> Endpoint:
    """Acknowledgements, and that the first message will not come again. The endpoint, as it is then."""
    if header.acknowledged:
        endpoint = work.own(endpoint)
        kinds = OfAcknowledgement
        rides = header.is_sequenced
        kind = kinds.MESSAGE_WITH_ACKNOWLEDGEMENT_RECEIVED if rides else kinds.ACKNOWLEDGEMENT_RECEIVED
        if take_acknowledgement(work, endpoint, header.acknowledged, kind):
            pin(endpoint, header.names.from_broker_instance)
        elif endpoint.is_initiator:
            _say_that_it_has_begun(work, endpoint)
    if header.has_begun and endpoint.security_timestamp is None:
        endpoint = work.own(endpoint)
        _no_replay(work, endpoint)
    return endpoint


def _say_that_it_has_begun(work: Work, endpoint: Endpoint) -> None:
    """A closed target asks, by saying again what it has, until it knows that the first message cannot come again."""
    if endpoint.acknowledged_sequence and endpoint.receive_sequence:
        work.owed[endpoint.conversation_handle] = None


def _no_replay(work: Work, endpoint: Endpoint) -> None:
    endpoint.security_timestamp = work.now
    if endpoint.state == CD:
        endpoint.next_attempt = None


def _take_broker_error(work: Work, endpoint: Endpoint, body: bytes) -> None:
    """At once, and in no order. To a closed target it says that its initiator has gone."""
    if endpoint.state == CD:
        _no_replay(work, endpoint)
    else:
        take_error(work, endpoint, body)


# ---------------------------------------------------------------- sequenced ones


def _take_sequenced(
    work: Work, here: Directory, endpoint: Endpoint, header: Header, message: Arriving, guard: Guard
) -> None:
    number = message.message_sequence_number
    if number < endpoint.receive_sequence:
        work.owed[endpoint.conversation_handle] = None  # ACK-4
        return
    given: Input = STRAY if header.has_begun and _lacks_the_first(work, endpoint) else PART
    to = after(endpoint.is_initiator, endpoint.state, given)
    if isinstance(to, int):
        _answer(work, endpoint, refused(work, here, message, endpoint.receive_sequence, to), guard)
    elif endpoint.state == DO:
        _discard(work, endpoint, header)
    elif (objection := _too_much(work, endpoint, header, message)) != 0:
        work.undeliverable(here.database, message.conversation_id, number, endpoint.receive_sequence, objection)
    else:
        _keep(work, here, endpoint, header, message)


def _lacks_the_first(work: Work, endpoint: Endpoint) -> bool:
    """Whether a target that was begun by what follows will never get the first message: an endpoint before it has
    acknowledged that, and is gone."""
    return endpoint.state == SI and not has_whole(work.received(endpoint), 0)


def _discard(work: Work, endpoint: Endpoint, header: Header) -> None:
    """This side has ended: what still comes is acknowledged, and nobody sees it."""
    _, received = note(work.received(endpoint), header.sequence, header.fragment, header.fragments, header.sequence)
    work.note(endpoint, received)
    work.owed[endpoint.conversation_handle] = None


def _too_much(work: Work, endpoint: Endpoint, header: Header, message: Arriving) -> int:
    """Limits of what strangers may leave here: why a fragment is left to its sender; 0: it is not."""
    size = len(message.message_body or b"")
    settings = work.around.settings
    if header.fragment + 1 < header.fragments and (header.fragments - 1) * size > settings.message_bytes:
        return TOO_LONG
    in_turn_now = header.sequence == endpoint.receive_sequence
    return 11217 if not in_turn_now and endpoint.held_bytes + size > settings.held_bytes else 0


def _keep(work: Work, here: Directory, endpoint: Endpoint, header: Header, message: Arriving) -> None:
    is_next = header.sequence == endpoint.receive_sequence
    if is_next and header.fragments == 1 and not endpoint.held and not work.is_off(endpoint.queue_key):
        # As nearly all do: whole, in its turn, with nothing before it or after it that waits.
        work.owed[endpoint.conversation_handle] = None
        endpoint = work.own(endpoint)
        work.note_next(endpoint)
        deliver(work, here, endpoint, message)
    else:
        _keep_in_its_place(work, here, endpoint, header, message)


def _keep_in_its_place(work: Work, here: Directory, endpoint: Endpoint, header: Header, message: Arriving) -> None:
    before = work.received(endpoint)
    fate, received = note(before, header.sequence, header.fragment, header.fragments, endpoint.receive_sequence)
    if fate is Fate.REFUSED:
        work.undeliverable(here.database, message.conversation_id, header.sequence, endpoint.receive_sequence, 11217)
        return
    work.owed[endpoint.conversation_handle] = None
    if fate is Fate.DUPLICATE:
        return
    if held_as(work, endpoint, header.sequence) not in (0, header.fragments):
        # Pieces of two ways to cut it are not the message, whole as each may be.
        tell_corrupted(work, here.database, message.conversation_id, _CUT_ANEW)
        work.owed.pop(endpoint.conversation_handle)
        return
    endpoint = work.own(endpoint)
    waits = header.sequence != endpoint.receive_sequence or work.is_off(endpoint.queue_key)
    if waits and header.fragments == 1 and will_be_refused(work, here, endpoint, message):
        return
    work.note(endpoint, received)
    if waits or header.fragments > 1:
        hold(work, endpoint, header, message)
    elif not deliver(work, here, endpoint, message):
        if endpoint.held:
            work.note(endpoint, before)
        else:  # nothing, or no longer: it is in error now
            work.note_next(endpoint)
