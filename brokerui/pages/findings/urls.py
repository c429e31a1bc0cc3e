"""Addresses of findings and of what somebody answers for."""

from django.urls import path

from brokerui.pages.findings import suppressions, views

app_name = "findings"
urlpatterns = [
    path("", views.findings_list, name="list"),
    path("state/", views.state, name="state"),
    path("findings.csv", views.findings_csv, name="csv"),
    path("suppress/", suppressions.Suppress.as_view(), name="suppress"),
    path("suppressions/", suppressions.suppression_list, name="suppressions"),
    path("suppressions.json", suppressions.suppressions_json, name="suppressions_json"),
    path("suppressions/<int:row_id>/remove/", suppressions.suppression_take_back, name="remove"),
    path("<slug:code>/", views.code_page, name="code"),
]
