"""Addresses of the page."""

from django.urls import path

from brokerui.pages.events import views

app_name = "events"
urlpatterns = [
    path("", views.events, name="events"),
    path("events.csv", views.events_csv, name="csv"),
]
