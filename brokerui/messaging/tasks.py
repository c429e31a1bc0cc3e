"""Wake-ups: each looks in the database or in the lists what there is to do, for all hosted instances."""

from __future__ import annotations

from functools import partial

from celery import shared_task

from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.exchange.unreachable import take_endpoint_notices
from brokerui.messaging.exchange.wake_debounce import bell_of, clear_pending, run_until_idle, wake_once
from brokerui.messaging.workers.arrived_frames import process_arrived
from brokerui.messaging.workers.arrived_lists import ArrivedLists
from brokerui.messaging.workers.delayed_acks import DelayedAcks
from brokerui.messaging.workers.due_conversations import is_due, send_due
from brokerui.messaging.workers.routes_changed import follow_estate


@shared_task(name="brokerui.messaging.tasks.transmit")
def transmit() -> None:
    """Send due messages: first attempts, retries, timers, ends of lifetimes."""
    take_endpoint_notices()
    hosted = hosted_names()
    run_until_idle(transmit, lambda: bool([one for one in hosted if send_due(one)]))


@shared_task(name="brokerui.messaging.tasks.routes_changed")
def routes_changed() -> None:
    """Route waiting conversations by the new version of the estate."""
    clear_pending(routes_changed)
    for instance in hosted_names():
        follow_estate(instance)
    wake_once(transmit)


@shared_task(name="brokerui.messaging.tasks.receive")
def receive() -> None:
    """Process frames that arrived from the network; messages that become due are sent at once."""
    keeping, lists = DelayedAcks(), ArrivedLists()

    def work() -> bool:
        places = lists.to_look_into()
        return bool([one for one, shards in places if process_arrived(one, shards, keeping, lists.taken_ahead(one))])

    def look_around() -> None:
        lists.look_again()
        if any(map(is_due, lists.hosted)):
            wake_once(transmit)

    run_until_idle(receive, work, keeping.look, look_around, partial(lists.listen, bell_of(receive).key))
    if lists.has_taken:  # the turn was over
        work()
    keeping.end()
    look_around()
