"""Addresses of the page."""

from django.urls import path

from brokerui.pages.service_queues import views

app_name = "service_queues"
urlpatterns = [
    path("", views.service_queues, name="service_queues"),
    path("service_queues.csv", views.service_queues_csv, name="csv"),
    path("queue/<str:queue_id>/", views.queue, name="queue"),
    path("queue/<str:queue_id>/queue.csv", views.queue_csv, name="queue_csv"),
    path("on/", views.switch_on, name="switch_on"),
]
