"""NEW_BROKER in a world: what a database had is gone, and nobody is told."""

from __future__ import annotations

from routing.dialog.batch import ClaimRequest
from routing.runtime.broker import Broker


def remove_conversations(broker: Broker, database: str, handles: tuple[str, ...], now: int) -> None:
    """The conversations of a database, with all their messages, and the routes that it has asked for. Nobody else
    works in the instance meanwhile."""
    work = broker.work(ClaimRequest(handles=handles), now)
    for handle in handles:
        work.remove(work.own(work.named(handle)))
    work.changes.requests.update((asked, None) for asked in work.batch.requests if asked[0] == database)
    broker.commit(work)
