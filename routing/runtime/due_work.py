"""Whether conversations of a unit of work are due again."""

from __future__ import annotations

from routing.dialog.endpoint import Endpoint
from routing.dialog.unit_of_work import UnitOfWork


def may_have_more_due(work: UnitOfWork, limit: int) -> bool:
    """Whether more may be due: the batch was at least half full (other workers may have taken the rest of a full one),
    or the work itself made something due."""
    if 2 * len(work.batch.due) > limit or work.changes.retry_services:
        return True
    return any(_is_due(work.get(handle), work.now_ms) for handle in {**work.batch.endpoints, **work.changes.endpoints})


def has_become_due(work: UnitOfWork) -> bool:
    """Whether an endpoint that a committed unit of work changed is due already."""
    return any(_is_due(endpoint, work.now_ms) for endpoint in work.changes.endpoints.values())


def _is_due(endpoint: Endpoint | None, now_ms: int) -> bool:
    return endpoint is not None and endpoint.due is not None and endpoint.due <= now_ms
