"""Addresses of the page."""

from django.urls import path

from brokerui.pages.where import views

app_name = "where"
urlpatterns = [
    path("", views.where, name="where"),
    path("since/", views.since, name="since"),
    path("options/<slug:field>/", views.options, name="options"),
]
