"""Addresses of the page."""

from django.urls import path

from brokerui.pages.forwarding import views

app_name = "forwarding"
urlpatterns = [
    path("", views.forwarding, name="forwarding"),
    path("forwarding.csv", views.forwarding_csv, name="csv"),
]
