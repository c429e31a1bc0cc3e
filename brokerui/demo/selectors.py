"""What of the live estate is the demo."""

from __future__ import annotations

from brokerui.demo.models import Demo
from brokerui.estate.models import Instance


def demo_instances() -> list[str]:
    """The instances of the demo that are still there; one query. None of them was imported again by a user."""
    rows = Instance.objects.filter(imported_at__in=Demo.objects.values("loaded_at"))
    return list(rows.values_list("name", flat=True))
