"""The part of the live estate that is the demo."""

from __future__ import annotations

from typing import Final

from brokerui.demo.hosted import HOSTED
from brokerui.demo.models import Demo
from brokerui.estate.models import Instance

FAULTY: Final = ("shop", "depot", "office")
"""The instances of the example, with its six faults."""


def demo_instances() -> list[str]:
    """The instances of the demo that are still there; one query. None of them was imported again by a user."""
    rows = Instance.objects.filter(imported_at__in=Demo.objects.values("loaded_at"))
    return list(rows.values_list("name", flat=True))


def demo_plays() -> bool:
    """Whether all hosted instances of the demo are there, and none is a user's of the same name; one query."""
    mine = Instance.objects.filter(imported_at__in=Demo.objects.values("loaded_at"), hosted=True, name__in=HOSTED)
    return mine.count() == len(HOSTED)
