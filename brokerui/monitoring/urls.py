"""Addresses of this part."""

from django.urls import path

from brokerui.monitoring import views

app_name = "monitoring"
urlpatterns = [
    path("queues/", views.queues, name="queues"),
    path("queues/queues.csv", views.queues_csv, name="queues_csv"),
    path("delayed/", views.delayed, name="delayed"),
    path("delayed/delayed.csv", views.delayed_csv, name="delayed_csv"),
    path("delayed/retry/", views.retry, name="delayed_retry"),
    path("delayed/switch-on/", views.switch_on, name="delayed_switch_on"),
    path("delayed/end/<uuid:handle>/", views.end, name="delayed_end"),
    path("mirrors/", views.mirrors, name="mirrors"),
    path("mirrors/mirrors.csv", views.mirrors_csv, name="mirrors_csv"),
    path("connections/", views.connections, name="connections"),
    path("connections/connections.csv", views.connections_csv, name="connections_csv"),
]
