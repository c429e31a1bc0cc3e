"""Load the client of Redis without the metrics of OpenTelemetry, which it looks for by itself.

Where the package of traces is installed, to load its metrics would take a tenth of each program's start. The product
sends none of them.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

METRICS: Final = "opentelemetry.sdk.metrics"


def redis_loaded() -> None:
    """Load it as if the metrics were not installed; a program that imports them later finds them."""
    if METRICS in sys.modules:
        return
    modules: dict[str, Any] = sys.modules
    modules[METRICS] = None  # Python's way to say that there is no such module
    try:
        importlib.import_module("redis")
    finally:
        del modules[METRICS]
