"""The word on every page that this is the demo."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from brokerui.demo.hosted import HOSTED
from brokerui.demo.selectors import FAULTY, demo_instances


@dataclass
class Notice:
    """Asked for by the template only, so that an error page needs no database."""

    @cached_property
    def instances(self) -> list[str]:
        return demo_instances()

    @property
    def plays(self) -> bool:
        """Whether some of them exchange messages."""
        return settings.DEMO and set(HOSTED) <= set(self.instances)

    @property
    def has_faults(self) -> bool:
        """Whether the instances with the planted faults are there."""
        return set(FAULTY) <= set(self.instances)


def demo(_request: HttpRequest) -> dict[str, Any]:
    """`demo`."""
    return {"demo": Notice()}
