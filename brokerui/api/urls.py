"""Addresses of the REST interface."""

from django.urls import URLPattern, URLResolver, path

from brokerui.api import editable, reading
from brokerui.api.docs import docs
from brokerui.api.estate_views import EstateDocument, EstateImport, OneImport
from brokerui.api.events import Events
from brokerui.api.messaging import urls as messaging
from brokerui.api.schema import Schema
from brokerui.api.what_if import WhatIf

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("estate/", EstateDocument.as_view(), name="estate"),
    path("estate/import/", EstateImport.as_view(), name="import"),
    path("estate/import/runs/<str:number>/", OneImport.as_view(), name="import_run"),
    path("whatif/", WhatIf.as_view(), name="whatif"),
    *editable.addresses(),
    *reading.addresses(),
    *messaging.addresses(),
    path("events/", Events.as_view(), name="events"),
    path("schema/", Schema.as_view(), name="schema"),
    path("docs/", docs, name="docs"),
]
