"""NEW_BROKER in a world: what a database had is gone, and nobody is told."""

from __future__ import annotations

from routing.dialog.batch import ClaimRequest
from routing.runtime.broker import Broker


def remove_conversations(broker: Broker, database: str, handles: tuple[str, ...], now_ms: int) -> None:
    """The conversations of a database, with all their messages, and the routes that it has asked for. Nobody else
    works in the instance meanwhile."""
    work = broker.work(ClaimRequest(handles=handles), now_ms)
    for handle in handles:
        work.remove(work.for_update(work.require(handle)))
    work.changes.requests.update((asked, None) for asked in work.batch.requests if asked[0] == database)
    broker.commit(work)
