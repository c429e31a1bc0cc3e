"""Addresses of this part."""

from django.urls import path

from brokerui.pages.flow import views

app_name = "flow"
urlpatterns = [
    path("", views.flow, name="flow"),
    path("flow.csv", views.flow_csv, name="csv"),
]
