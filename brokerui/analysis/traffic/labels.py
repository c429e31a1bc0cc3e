"""What pages call the jobs of a round of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

TITLES: Mapping[str, Promise] = {
    "ingest": lazy("Files are taken in"),
    "route": lazy("What the traffic met"),
    "telemetry": lazy("What the event log says"),
}
