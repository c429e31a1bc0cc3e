"""Addresses of the page."""

from django.urls import path

from brokerui.pages.map import saved_views, views

app_name = "map"
urlpatterns = [
    path("", views.page, name="map"),
    path("findings/", views.findings, name="findings"),
    path("map.svg", views.svg, name="svg"),
    path("export.csv", views.export, name="export"),
    path("views/", saved_views.save_as, name="save_as"),
    path("views/<slug:key>/", saved_views.saved, name="view"),
    path("views/<slug:key>/delete/", saved_views.delete, name="delete_view"),
]
