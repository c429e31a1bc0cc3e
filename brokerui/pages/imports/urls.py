"""Addresses of imports."""

from django.urls import path

from brokerui.pages.imports import views

app_name = "imports"
urlpatterns = [
    path("", views.Start.as_view(), name="start"),
    path("collect.sql", views.collecting_script, name="script"),
    path("<int:run_id>/", views.run_page, name="run"),
    path("<int:run_id>/preview/", views.run_preview, name="preview"),
    path("<int:run_id>/again/", views.run_preview_again, name="again"),
    path("<int:run_id>/apply/", views.run_apply_it, name="apply"),
    path("<int:run_id>/discard/", views.run_discard_it, name="discard"),
    path("<int:run_id>/scenario/", views.run_scenario, name="scenario"),
    path("<int:run_id>/estate.json", views.run_document, name="document"),
    path("<int:run_id>/<slug:name>.csv", views.run_csv, name="csv"),
]
