"""Addresses of the table of routes."""

from django.urls import path

from brokerui.pages.routes import views

app_name = "routes"
urlpatterns = [
    path("", views.routes_list, name="list"),
    path("routes.csv", views.routes_csv, name="csv"),
]
