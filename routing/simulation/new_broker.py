"""NEW_BROKER in a world: a database loses its conversations without notifying their peers."""

from __future__ import annotations

from routing.dialog.batch import ClaimRequest
from routing.runtime.broker import Broker


def remove_conversations(broker: Broker, database: str, handles: tuple[str, ...], now_ms: int) -> None:
    """Delete the conversations of a database, their messages and its route requests.

    The instance must be idle meanwhile."""
    work = broker.work(ClaimRequest(handles=handles), now_ms)
    for handle in handles:
        work.remove(work.for_update(work.require(handle)))
    work.changes.requests.update(
        (request_key, None) for request_key in work.batch.requests if request_key[0] == database
    )
    broker.commit(work)
