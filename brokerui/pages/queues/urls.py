"""Addresses of the page."""

from django.urls import path

from brokerui.pages.queues import views

app_name = "queues"
urlpatterns = [
    path("", views.queues, name="queues"),
    path("queues.csv", views.queues_csv, name="csv"),
]
