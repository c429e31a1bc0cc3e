"""Addresses of the page."""

from django.urls import path

from brokerui.pages.map import views

app_name = "map"
urlpatterns = [
    path("", views.page, name="map"),
    path("findings/", views.findings, name="findings"),
    path("map.svg", views.svg, name="svg"),
    path("export.csv", views.export, name="export"),
]
