"""Addresses of the page."""

from django.urls import path

from brokerui.pages.expiry import views

app_name = "expiry"
urlpatterns = [
    path("", views.expiry, name="expiry"),
    path("expiry.csv", views.expiry_csv, name="csv"),
]
