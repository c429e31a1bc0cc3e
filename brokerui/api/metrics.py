"""`/metrics`, for Prometheus: with a token, or a session."""

from __future__ import annotations

from itertools import chain
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from brokerui.analysis.alerts.metrics import alert_metrics
from brokerui.api.base import ApiView
from brokerui.eventlog.exposition import CONTENT_TYPE, exposition
from brokerui.eventlog.metrics import metrics


@extend_schema(exclude=True)
class Metrics(ApiView):
    """Read only."""

    http_method_names = ["get", "head"]

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        return HttpResponse(exposition(chain(metrics(), alert_metrics())), content_type=CONTENT_TYPE)
