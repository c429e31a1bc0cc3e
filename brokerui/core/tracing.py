"""Traces of OpenTelemetry by its standard variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_EXPORTER`, …).

Without them nothing of OpenTelemetry is imported, and no request, task or message has more to do. Spans hold no body,
no address with its values, and no secret.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

logger = logging.getLogger(__name__)
ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
EXPORTER: Final = "OTEL_TRACES_EXPORTER"
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
HTTP: Final = "http/protobuf"
NAME: Final = "brokerui"


def tracing_is_wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the variables ask for traces."""
    exporter = environment.get(EXPORTER, "").strip().lower()
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or exporter == "none":
        return False
    return bool(exporter) or any(environment.get(name, "").strip() for name in ENDPOINTS)


def tracing_problem(environment: Mapping[str, str]) -> str:
    """Why the traces that are wanted cannot be sent, as far as the variables say; empty: they can."""
    exporter = environment.get(EXPORTER, "").strip().lower() or "otlp"
    if exporter not in ("otlp", "console"):
        return f"{EXPORTER} is {exporter}: BrokerUI has otlp, console and none"
    protocol = next((value for name in PROTOCOLS if (value := environment.get(name, "").strip())), HTTP)
    return "" if protocol == HTTP else f"the protocol of OTLP is {protocol}: BrokerUI has {HTTP}"


def tracer() -> Any | None:
    """The tracer of this process; None where traces are not wanted, or cannot be sent: a line of the log says why."""
    return _tracer(os.getpid()) if tracing_is_wanted() else None


@contextmanager
def span(name: str, attributes: Mapping[str, Any] | None = None) -> Iterator[Any | None]:
    """A span around the work of the caller; None where there are no traces."""
    own = tracer()
    if own is None:
        yield None
        return
    with own.start_as_current_span(name, attributes=attributes) as found:
        yield found


@lru_cache(maxsize=1)
def _tracer(_process: int) -> Any | None:
    """Made once in each process: the thread that sends spans does not live on in a fork."""
    problem = tracing_problem(os.environ)
    if problem:
        logger.warning("no traces are sent: %s", problem)
        return None
    try:
        return _made()
    except ImportError as error:
        logger.warning("no traces are sent: %s is not installed; pip install 'brokerui[otel]'", error.name)
        return None


def _made() -> Any:
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - only where traces are wanted
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - only where traces are sent
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - only where traces are sent

    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    resource = Resource.create({} if is_named else {"service.name": NAME})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(_exporter()))
    return provider.get_tracer(NAME)


def _exporter() -> Any:
    if os.environ.get(EXPORTER, "").strip().lower() == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter  # noqa: PLC0415 - only where traces are sent

        return ConsoleSpanExporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - only where traces are sent

    return OTLPSpanExporter()
