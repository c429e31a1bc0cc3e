"""Addresses of the audit."""

from django.urls import path

from brokerui.pages.audit import views

app_name = "audit"
urlpatterns = [
    path("", views.audit, name="audit"),
    path("audit.csv", views.audit_csv, name="csv"),
]
