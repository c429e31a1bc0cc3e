"""Addresses of the REST interface."""

from django.urls import URLPattern, URLResolver, path

from brokerui.api import (
    alert_channels,
    alerts,
    audit,
    catalog_views,
    change_reviews,
    changes,
    collected,
    map_views,
    preferences,
    rounds,
    routing_tests,
    row_schema,
    saved_views,
    servers,
    users,
)
from brokerui.api.change_certificate import ChangeCertificateView
from brokerui.api.change_sql import ChangeSql
from brokerui.api.docs import docs
from brokerui.api.drains import DrainsResource
from brokerui.api.estate import EstateDocument
from brokerui.api.events import EventList
from brokerui.api.expiries import ExpiriesResource
from brokerui.api.forwarding import ForwardingResource
from brokerui.api.imports import EstateImport, ImportRunDetail
from brokerui.api.messaging import urls as messaging
from brokerui.api.overview import OverviewResource
from brokerui.api.queue_states import QueueStateList
from brokerui.api.schema import SchemaDocument
from brokerui.api.version_diff import VersionDiff
from brokerui.api.versions import VersionDetail, VersionList, VersionRestore
from brokerui.api.whatif import WhatIf

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("estate/", EstateDocument.as_view(), name="estate"),
    path("estate/import/", EstateImport.as_view(), name="import"),
    path("estate/import/runs/<str:number>/", ImportRunDetail.as_view(), name="import_run"),
    path("whatif/", WhatIf.as_view(), name="whatif"),
    *row_schema.addresses(),
    *catalog_views.addresses(),
    *collected.addresses(),
    *servers.addresses(),
    path("versions/", VersionList.as_view(), name="versions"),
    path("versions/<str:number>/", VersionDetail.as_view(), name="version"),
    path("versions/<str:number>/diff/", VersionDiff.as_view(), name="version_diff"),
    path("versions/<str:number>/restore/", VersionRestore.as_view(), name="version_restore"),
    *changes.addresses(),
    path("changes/<str:number>/certificate/", ChangeCertificateView.as_view(), name="change_certificate"),
    *routing_tests.addresses(),
    path("changes/<str:number>/sql/", ChangeSql.as_view(), name="change_sql"),
    *change_reviews.addresses(),
    *map_views.addresses(),
    *preferences.addresses(),
    *users.addresses(),
    *saved_views.addresses(),
    *alerts.addresses(),
    *alert_channels.addresses(),
    *messaging.addresses(),
    *rounds.addresses(),
    path("overview/", OverviewResource.as_view(), name="overview"),
    path("drains/", DrainsResource.as_view(), name="drains"),
    path("expiries/", ExpiriesResource.as_view(), name="expiries"),
    path("forwarding/", ForwardingResource.as_view(), name="forwarding"),
    path("queue_states/", QueueStateList.as_view(), name="queue_states"),
    path("audit/", audit.AuditList.as_view(), name="audit"),
    path("events/", EventList.as_view(), name="events"),
    path("schema/", SchemaDocument.as_view(), name="schema"),
    path("docs/", docs, name="docs"),
]
