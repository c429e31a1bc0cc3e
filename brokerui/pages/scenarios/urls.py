"""Addresses of the scenarios."""

from django.urls import path

from brokerui.pages.scenarios import views

app_name = "scenarios"
urlpatterns = [
    path("", views.ScenarioList.as_view(), name="list"),
    path("<slug:name>/open/", views.scenario_open, name="open"),
    path("<slug:name>/document.json", views.scenario_download, name="document"),
    path("<slug:name>/delete/", views.scenario_remove, name="delete"),
]
