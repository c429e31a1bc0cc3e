"""Addresses of this part."""

from django.urls import path

from brokerui.pages.traffic import views

app_name = "traffic"
urlpatterns = [
    path("", views.runs, name="runs"),
    path("rounds/", views.round_start, name="start"),
    path("rounds/generated/", views.round_generate, name="generate"),
    path("rounds/<int:number>/", views.round_page, name="round"),
    path("rounds/<int:number>/cancel/", views.round_stop, name="cancel"),
    path("<int:number>/", views.run, name="run"),
    path("<int:number>/<slug:table>.csv", views.table_csv, name="csv"),
]
