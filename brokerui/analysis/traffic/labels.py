"""The names of the jobs of a round of the pipeline, for pages."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

TITLES: Mapping[str, Promise] = {
    "generate": lazy("A day of traffic is drawn"),
    "ingest": lazy("Files are taken in"),
    "route": lazy("What the traffic met"),
    "replay": lazy("Before and after the change"),
    "simulate": lazy("A day of its brokers is simulated"),
    "telemetry": lazy("What the event log says"),
}
"""By command: the headings of a round's jobs."""
STAGES: Mapping[str, Promise] = {
    "generate": lazy("Drawing a day of traffic"),
    "ingest": lazy("Taking new files into the lake"),
    "route": lazy("Asking where the traffic ends"),
    "replay": lazy("Asking where it would end after the change"),
    "simulate": lazy("Letting its brokers exchange messages for a day"),
    "telemetry": lazy("Summing up the event log"),
}
"""By command: what a worker does now."""
