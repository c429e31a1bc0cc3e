"""Addresses of the page."""

from django.urls import path

from brokerui.pages.mirrors import views

app_name = "mirrors"
urlpatterns = [
    path("", views.mirrors, name="mirrors"),
    path("mirrors.csv", views.mirrors_csv, name="csv"),
]
