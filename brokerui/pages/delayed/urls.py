"""Addresses of the page."""

from django.urls import path

from brokerui.pages.delayed import operating, views

app_name = "delayed"
urlpatterns = [
    path("", views.delayed, name="delayed"),
    path("delayed.csv", views.delayed_csv, name="csv"),
    path("retry/", operating.retry, name="retry"),
    path("switch-on/", operating.switch_on, name="switch_on"),
    path("end/<uuid:handle>/", operating.end, name="end"),
]
