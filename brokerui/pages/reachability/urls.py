"""Addresses of this part."""

from django.urls import path

from brokerui.pages.reachability import views

app_name = "reachability"
urlpatterns = [
    path("", views.matrix, name="matrix"),
    path("progress/", views.progress, name="progress"),
    path("table.csv", views.table_csv, name="table_csv"),
    path("pairs.csv", views.pairs_csv, name="pairs_csv"),
]
