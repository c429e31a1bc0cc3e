"""Which instances this deployment hosts, and where each of them listens."""

from __future__ import annotations

from collections.abc import Mapping

from brokerui.estate.models import Instance
from brokerui.estate.models.instances import EndpointState


def hosted() -> Mapping[str, tuple[str, ...]]:
    """The canonical addresses of each hosted instance whose endpoint is not stopped; one query for all of them."""
    stopped = (EndpointState.STOPPED, EndpointState.DISABLED)
    rows = (
        Instance.objects.filter(hosted=True)
        .exclude(endpoint_state__in=stopped)
        .order_by("name", "addresses__position")
        .values_list("name", "addresses__key")
    )
    found: dict[str, tuple[str, ...]] = {}
    for name, key in rows:
        found[name] = (*found.get(name, ()), *([key] if key else []))
    return found
