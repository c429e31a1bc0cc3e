"""Addresses of this part."""

from django.urls import path

from brokerui.traffic_results import views

app_name = "traffic"
urlpatterns = [
    path("", views.runs, name="runs"),
    path("<int:number>/", views.run, name="run"),
    path("<int:number>/<slug:table>.csv", views.table_csv, name="csv"),
]
