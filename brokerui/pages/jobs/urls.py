"""Addresses of background work."""

from django.urls import path

from brokerui.pages.jobs import views

app_name = "jobs"
urlpatterns = [
    path("", views.job_list, name="list"),
    path("<int:number>/cancel/", views.job_cancel, name="cancel"),
    path("<int:number>/retry/", views.job_retry, name="retry"),
]
