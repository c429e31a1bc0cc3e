"""RECEIVE by an application whose process knows the state of the instance: on one way to the database."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from brokerui.core.instance_limit import check_instances
from brokerui.messaging.broker_cache import check_queue, working_broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.queue_monitors.signals import received
from brokerui.messaging.verbs.leaving import leave_after_commit
from brokerui.messaging.verbs.transactions import busy_after_conflict
from routing.dialog.batch import ClaimedBatch, ReceiveRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.problems import VerbError
from routing.runtime.broker import Broker


def received_at_once(instance: str, request: ReceiveRequest) -> ClaimedBatch | None:
    """Receive in the caller's transaction, or where none is open in one of its own. None: nothing has happened, and the
    caller claims; the claim also raises the error for the application, if there is one. Raises `BusyError` and
    `InstanceForbiddenError`.
    """
    database = connections[DEFAULT_DB_ALIAS]
    is_callers = database.in_atomic_block
    if not database.features.has_select_for_update or not (is_callers or database.get_autocommit()):
        return None
    check_instances([instance])
    broker = working_broker_of(instance, in_transaction=is_callers)
    if not _may_be_asked(broker, request.queue):
        return None
    try:
        batch = broker.take(request, now())
    except Exception:
        with busy_after_conflict(), transaction.mark_for_rollback_on_error():
            raise
    if batch is not None:
        received(broker, request.queue, is_empty=batch.received_group is None)
        leave_after_commit(database, instance, (), (), broker.events())
    return batch


def _may_be_asked(broker: Broker, queue: QueueKey) -> bool:
    """Whether there is such a queue. The store makes sure that the estate is the same."""
    try:
        check_queue(broker, queue)
    except (VerbError, MessagingError):
        return False
    return True
