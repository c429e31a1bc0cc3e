"""Changes that verbs make to the live estate, which pages, checks and routing read too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import live_version
from brokerui.estate.services import estate_edit
from brokerui.messaging.errors import BusyError
from routing.dialog.queue_status import switch_off, switch_on
from routing.dialog.unit_of_work import UnitOfWork
from routing.model.estate import Edit
from routing.runtime.broker import Broker

TRIES: Final = 10
"""Each loses to an edit of somebody else's."""


def declare(edits: Sequence[Edit], author: str, note: str) -> int:
    """Edit the live estate as it is now, in the caller's transaction: the version that it has then.

    Raises `Invalid` for what it cannot take, and `BusyError` where others edit it all the time.
    """
    for _ in range(TRIES):
        try:
            return estate_edit(edits=edits, base_version=live_version(), author=author, note=note).version
        except EstateStaleError:
            continue
    raise BusyError


def follow_queues(broker: Broker, work: UnitOfWork) -> None:
    """Set queues on or off as the estate says."""
    databases = broker.estate.instances[broker.instance].databases.values()
    off = {(database.name, queue.name) for database in databases for queue in database.queues if not queue.enabled}
    for queue in sorted(off - work.batch.off):
        switch_off(work, queue)
    for queue in sorted(work.batch.off - off):
        switch_on(work, queue)
