"""Every address of the site."""

from django.urls import include, path
from django.views.generic import RedirectView

from brokerui.api.metrics import Metrics
from brokerui.pages.shell import health
from brokerui.pages.tables import site

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="overview:overview", query_string=True), name="start"),
    path("account/", include("brokerui.pages.account.urls")),
    path("overview/", include("brokerui.pages.overview.urls")),
    path("map/", include("brokerui.pages.map.urls")),
    path("where/", include("brokerui.pages.where.urls")),
    path("reachability/", include("brokerui.pages.reachability.urls")),
    path("flow/", include("brokerui.pages.flow.urls")),
    path("delayed/", include("brokerui.pages.delayed.urls")),
    path("conversations/", include("brokerui.pages.conversations.urls")),
    path("queues/", include("brokerui.pages.queues.urls")),
    path("service_queues/", include("brokerui.pages.service_queues.urls")),
    path("saved/", include("brokerui.pages.saved.urls")),
    path("goto/", include("brokerui.pages.goto.urls")),
    path("forwarding/", include("brokerui.pages.forwarding.urls")),
    path("expiry/", include("brokerui.pages.expiry.urls")),
    path("alerts/", include("brokerui.pages.alerts.urls")),
    path("mirrors/", include("brokerui.pages.mirrors.urls")),
    path("connections/", include("brokerui.pages.connections.urls")),
    path("events/", include("brokerui.pages.events.urls")),
    path("audit/", include("brokerui.pages.audit.urls")),
    path("traffic/", include("brokerui.pages.traffic.urls")),
    path("routes/", include("brokerui.pages.routes.urls")),
    path("findings/", include("brokerui.pages.findings.urls")),
    path("servers/", include("brokerui.pages.servers.urls")),
    path("imports/", include("brokerui.pages.imports.urls")),
    path("changes/", include("brokerui.pages.changes.urls")),
    path("tests/", include("brokerui.pages.tests.urls")),
    path("jobs/", include("brokerui.pages.jobs.urls")),
    path("scenarios/", include("brokerui.pages.scenarios.urls")),
    path("tables/", site.urls),
    path("demo/", include("brokerui.pages.demo.urls")),
    path("api/v1/", include("brokerui.api.urls")),
    path("", include("brokerui.pages.shell.estate_urls")),
    path("", include("brokerui.pages.shell.urls")),
    path("", include("brokerui.pages.shell.former_addresses")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", Metrics.as_view(), name="metrics"),
]

handler400 = "brokerui.core.errors.bad_request"
handler403 = "brokerui.core.errors.permission_denied"
handler404 = "brokerui.core.errors.not_found"
handler500 = "brokerui.core.errors.server_error"
