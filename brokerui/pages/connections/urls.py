"""Addresses of the page."""

from django.urls import path

from brokerui.pages.connections import views

app_name = "connections"
urlpatterns = [
    path("", views.connections, name="connections"),
    path("connections.csv", views.connections_csv, name="csv"),
]
