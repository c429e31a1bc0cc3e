"""Addresses of the page."""

from django.urls import path

from brokerui.pages.delayed import actions, views

app_name = "delayed"
urlpatterns = [
    path("", views.delayed, name="delayed"),
    path("delayed.csv", views.delayed_csv, name="csv"),
    path("retry/", actions.retry, name="retry"),
    path("retry-all/", actions.retry_all, name="retry_all"),
    path("switch-on/", actions.switch_on, name="switch_on"),
    path("end/<uuid:handle>/", actions.end, name="end"),
]
