"""Every address of the site."""

from django.urls import include, path
from django.views.generic import RedirectView

from brokerui.core import health
from brokerui.estate.admin.site import site
from brokerui.eventlog.api.metrics_view import Metrics

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="explain:where", query_string=True), name="start"),
    path("accounts/", include("brokerui.accounts.urls")),
    path("map/", include("brokerui.map.urls")),
    path("where/", include("brokerui.explain.urls")),
    path("reachability/", include("brokerui.reachability.urls")),
    path("flow/", include("brokerui.flow.urls")),
    path("messaging/", include("brokerui.monitoring.urls")),
    path("traffic/", include("brokerui.traffic_results.urls")),
    path("routes/", include("brokerui.routes.urls")),
    path("findings/", include("brokerui.lint.urls")),
    path("import/", include("brokerui.intake.urls")),
    path("scenarios/", include("brokerui.scenarios.urls")),
    path("admin/", site.urls),
    path("demo/", include("brokerui.demo.urls")),
    path("api/v1/", include("brokerui.api.urls")),
    path("", include("brokerui.viewing.urls")),
    path("", include("brokerui.core.urls")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", Metrics.as_view(), name="metrics"),
]

handler400 = "brokerui.core.errors.bad_request"
handler403 = "brokerui.core.errors.permission_denied"
handler404 = "brokerui.core.errors.not_found"
handler500 = "brokerui.core.errors.server_error"
