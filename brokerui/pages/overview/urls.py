"""Addresses of the page."""

from django.urls import path

from brokerui.pages.overview import views

app_name = "overview"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("alerts/", views.alerts, name="alerts"),
    path("overview.csv", views.overview_csv, name="csv"),
]
