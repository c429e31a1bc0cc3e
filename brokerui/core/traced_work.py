"""Spans around web requests and tasks of workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase

from brokerui.core.tracing import span, tracer, tracing_is_wanted

SERVER_ERROR = 500


class TracingMiddleware:
    """A span for each request, named after its route: values of the address are not in it. The first of all."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not tracing_is_wanted():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and end the span."""
        own = tracer()
        if own is None:
            return self.get_response(request)
        from opentelemetry.trace import SpanKind, Status, StatusCode  # noqa: PLC0415 - only where traces are sent

        method = str(request.method)
        begun = own.start_as_current_span(
            method, context=_of_caller(request), kind=SpanKind.SERVER, attributes={"http.request.method": method}
        )
        with begun as found:
            response = self.get_response(request)
            route = request.resolver_match.route if request.resolver_match is not None else ""
            found.update_name(f"{method} {route}".strip())
            found.set_attribute("http.route", route)
            found.set_attribute("http.response.status_code", response.status_code)
            if response.status_code >= SERVER_ERROR:
                found.set_status(Status(StatusCode.ERROR))
            return response


def _of_caller(request: HttpRequest) -> Any:
    """The trace that the caller names (`traceparent`)."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 - only where traces are sent

    return TraceContextTextMapPropagator().extract({name.lower(): value for name, value in request.headers.items()})


class TaskSpans:
    """Spans of the tasks that a worker process runs: rounds of messages, jobs, clocks. They have no payload."""

    def __init__(self) -> None:
        self._open: dict[str, Any] = {}

    def begin(self, task_id: str, task: Any, **_signal: object) -> None:
        """Before a task."""
        opened = span(task.name)
        opened.__enter__()
        self._open[task_id] = opened

    def end(self, task_id: str, **_signal: object) -> None:
        """After it."""
        opened = self._open.pop(task_id, None)
        if opened is not None:
            opened.__exit__(None, None, None)


def trace_tasks() -> None:
    """Have Celery report the tasks of this process."""
    from celery.signals import task_postrun, task_prerun  # noqa: PLC0415 - only where traces are wanted

    spans = TaskSpans()
    task_prerun.connect(spans.begin, weak=False)
    task_postrun.connect(spans.end, weak=False)
