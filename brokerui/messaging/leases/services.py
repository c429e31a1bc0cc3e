"""A receive in two steps: messages are handed out with a lease, and taken when its receipt is committed.

As long as a lease lives no other receive gets messages of its conversation group, and they stay where they are. It ends
once: committed, rolled back, or lapsed when its time was over; the last two count as a rollback of the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from django.db import transaction

from brokerui.messaging.broker_cache import check_queue
from brokerui.messaging.clock import now
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.leases.errors import LeaseCommittedError, LeaseOverError, NoSuchReceiptError
from brokerui.messaging.leases.models import Lease, LeaseState
from brokerui.messaging.leases.uses import use_count
from brokerui.messaging.models import ConversationEndpoint, HostedInstance
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.verbs.administration import message_committed, message_rolled_back
from brokerui.messaging.verbs.transactions import unit_of_work
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.messages import QueuedMessage
from routing.dialog.receive import get_conversation_group, receive
from routing.dialog.states import CD, DO

MOST_BYTES: Final = 32 << 20
"""Bytes of bodies in one lease, unless the first message alone has more."""
LAPSED_AT_ONCE: Final = 100
KEPT_MS: Final = 24 * 3600 * 1000
"""How long the outcome of a receipt is kept, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Leased:
    """Messages of one conversation group, in their order."""

    receipt: str
    conversation_group_id: str
    until: int
    """Milliseconds since 1970."""
    messages: tuple[QueuedMessage, ...]


def lease_make(*, instance: str, request: ReceiveRequest, owner: str, lease_ms: int) -> Leased | None:
    """Hand out the next messages of a queue; None if there are none, or all are locked. With `top` 0 only their group
    is locked, for `lease_receive` (GET CONVERSATION GROUP)."""
    database, queue = request.queue
    leases_lapse(instance=instance, database=database, queue=queue)
    with transaction.atomic(savepoint=False), unit_of_work(instance, ClaimRequest(receive=request)) as (broker, work):
        check_queue(broker, request.queue)
        group = get_conversation_group(work, request)
        messages = _within_bounds(work.batch.received)
        if group is None or not (messages or request.top == 0):
            return None
        lease = Lease(
            receipt=str(uuid4()),
            instance=HostedInstance.objects.get(name=instance),
            database=database,
            queue=queue,
            conversation_group_id=group,
            owner=owner,
        )
        _hand_out(lease, messages, lease_ms)
        _end_lapsed(lease)
        lease.save(force_insert=True)
    return Leased(lease.receipt, group, lease.until, messages)


def lease_receive(*, receipt: str, place: QueueAddress, owner: str, top: int, lease_ms: int) -> Leased:
    """The first messages of the group that a lease has locked, handed out in place of those that it had: asked for
    again, they are the same. Raises `LeaseOverError`, and `NoSuchReceiptError`, also where it is of another queue."""
    with transaction.atomic():
        lease = _living(receipt, owner)
        if (lease.instance.name, lease.database, lease.queue) != place:
            raise NoSuchReceiptError
        lease.until = 0  # it hides the group from all receives, and no other transaction sees this
        lease.save(update_fields=["until"])
        request = ReceiveRequest((lease.database, lease.queue), top, group=lease.conversation_group_id)
        with unit_of_work(place.instance, ClaimRequest(receive=request)) as (broker, work):
            check_queue(broker, request.queue)
            get_conversation_group(work, request)
            messages = _within_bounds(work.batch.received)
        _hand_out(lease, messages, lease_ms)
        lease.save(update_fields=["messages", "count", "until"])
    return Leased(receipt, lease.conversation_group_id, lease.until, messages)


def _hand_out(lease: Lease, messages: Sequence[QueuedMessage], lease_ms: int) -> None:
    lease.messages = [(message.queuing_order, message.conversation_handle) for message in messages]
    lease.count = len(messages)
    lease.until = now() + lease_ms


def _within_bounds(messages: Sequence[QueuedMessage]) -> tuple[QueuedMessage, ...]:
    """The first of them."""
    left = MOST_BYTES
    for count, message in enumerate(messages):
        left -= len(message.message_body or b"")
        if left < 0:
            return tuple(messages[: max(count, 1)])
    return tuple(messages)


def _end_lapsed(new: Lease) -> None:
    """One of the same group that has lapsed since the last look."""
    for lease in Lease.objects.filter(
        instance=new.instance, conversation_group_id=new.conversation_group_id, state=LeaseState.LEASED
    ):
        _lapse(lease)


# ---------------------------------------------------------------- how they end


def lease_commit(*, receipt: str, owner: str) -> int:
    """Take the messages of a lease off the queue, and return their number. A second call does nothing.

    Raises `LeaseOverError`, and then nothing was done; `NoSuchReceiptError`; and what `unit_of_work` does.
    """
    with transaction.atomic():
        lease = _mine(receipt, owner)
        if lease.state == LeaseState.COMMITTED:
            return lease.count
        _check_living(lease)
        if lease.count:
            _take(lease)
        _end(lease, LeaseState.COMMITTED)
        use_count(author=owner, verb="receive", instance=lease.instance.name, messages=lease.count)
    return lease.count


def lease_extend(*, receipt: str, owner: str, lease_ms: int) -> None:
    """Let a lease last for `lease_ms` from now on. Raises `LeaseOverError` and `NoSuchReceiptError`."""
    with transaction.atomic():
        lease = _living(receipt, owner)
        lease.until = now() + lease_ms
        lease.save(update_fields=["until"])


def lease_roll_back(*, receipt: str, owner: str) -> None:
    """Give the messages back. The second time does nothing more, nor does it where the lease has lapsed."""
    with transaction.atomic():
        lease = _mine(receipt, owner)
        if lease.state == LeaseState.COMMITTED:
            raise LeaseCommittedError
        is_ended = lease.state == LeaseState.LEASED and _end(lease, LeaseState.ROLLED_BACK)
    if is_ended:
        _count_rollback(lease)


def leases_lapse(**where: str) -> int:
    """End expired leases, and return their number. `where`: only one queue, by instance, database and queue."""
    found = Lease.objects.filter(state=LeaseState.LEASED, until__lte=now()).select_related("instance")
    if where:
        found = found.filter(instance__name=where["instance"], database=where["database"], queue=where["queue"])
    return sum(map(_lapse, found.order_by("until")[:LAPSED_AT_ONCE]))


def leases_forget() -> int:
    """Delete leases that ended long ago, and return their number."""
    ended = [LeaseState.COMMITTED, LeaseState.ROLLED_BACK, LeaseState.LAPSED]
    return Lease.objects.filter(state__in=ended, until__lt=now() - KEPT_MS).delete()[0]


def _mine(receipt: str, owner: str) -> Lease:
    """Locked, so that it ends once."""
    try:
        return Lease.objects.select_for_update(of=("self",)).select_related("instance").get(pk=receipt, owner=owner)
    except Lease.DoesNotExist:
        raise NoSuchReceiptError from None


def _living(receipt: str, owner: str) -> Lease:
    lease = _mine(receipt, owner)
    _check_living(lease)
    return lease


def _check_living(lease: Lease) -> None:
    if lease.state != LeaseState.LEASED or lease.until <= now():
        raise LeaseOverError


def _take(lease: Lease) -> None:
    """RECEIVE of exactly these messages, but for those that have left the queue with their conversation."""
    orders = tuple(order for order, _ in lease.messages)
    request = ReceiveRequest((lease.database, lease.queue), group=lease.conversation_group_id, only=orders)
    name = lease.instance.name
    with unit_of_work(name, ClaimRequest(groups=(lease.conversation_group_id,), receive=request)) as (broker, work):
        check_queue(broker, request.queue)
        taken = {message.queuing_order for message in receive(work, request)}
        _check_ended(lease, {handle for order, handle in lease.messages if order not in taken})
        has_rollbacks = request.queue in work.batch.rollbacks
    if taken and has_rollbacks:
        place = {"instance": name, "database": lease.database, "queue": lease.queue}
        transaction.on_commit(lambda: message_committed(**place), robust=True)


def _check_ended(lease: Lease, handles: set[str]) -> None:
    """Check that missing messages are of ended conversations, whose messages are not needed. Others were moved: to
    another group or another instance, where another program may receive them."""
    going_on = ConversationEndpoint.objects.filter(instance=lease.instance, conversation_handle__in=handles)
    if handles and going_on.exclude(state__in=(CD, DO)).exists():
        raise LeaseOverError


def _end(lease: Lease, state: LeaseState) -> bool:
    """False: it had ended."""
    still = Lease.objects.filter(pk=lease.pk, state=LeaseState.LEASED)
    return bool(still.update(state=state, until=now(), messages=[]))


def _lapse(lease: Lease) -> bool:
    """End an expired lease. It counts as a rollback once the caller's transaction commits."""
    is_ended = _end(lease, LeaseState.LAPSED)
    if is_ended:
        transaction.on_commit(lambda: _count_rollback(lease), robust=True)
    return is_ended


def _count_rollback(lease: Lease) -> None:
    if not lease.count:
        return  # a group was locked, and nothing received
    try:
        message_rolled_back(instance=lease.instance.name, database=lease.database, queue=lease.queue)
    except MessagingError:
        return  # the queue is not here any more, or too busy for a count
