"""The text format of Prometheus, by its own library. The values come from the database: no process counts them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
TOTAL: Final = "_total"
Values = Iterable[tuple[Mapping[str, object], float]]
"""Labels and the value that they have."""


def gauge(name: str, text: str, values: Values) -> Metric:
    """Make a metric that rises and falls."""
    return _filled(Metric(name, text, "gauge"), name, values)


def counter(name: str, text: str, values: Values) -> Metric:
    """Make a metric that only rises; its name ends with `_total`."""
    return _filled(Metric(name.removesuffix(TOTAL), text, "counter"), name, values)


def histogram(name: str, text: str, within: Mapping[float, int]) -> Metric:
    """Make a metric from counts by upper bound, each with all below it, too; the sum of the values is not known."""
    metric = Metric(name, text, "histogram")
    for bound, count in within.items():
        metric.add_sample(f"{name}_bucket", {"le": floatToGoString(bound)}, count)
    metric.add_sample(f"{name}_count", {}, max(within.values(), default=0))
    return metric


def exposition(metrics: Iterable[Metric]) -> bytes:
    """Write the metrics as `/metrics` gives them."""
    return generate_latest(_Given(metrics))


class _Given(Collector):
    """A Prometheus collector over metrics that are computed already."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics


def _filled(metric: Metric, name: str, values: Values) -> Metric:
    for labels, value in values:
        metric.add_sample(name, {label: str(text) for label, text in labels.items()}, value)
    return metric
