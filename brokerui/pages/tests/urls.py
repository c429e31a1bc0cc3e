"""Addresses of routing tests."""

from django.urls import path

from brokerui.pages.tests import views

app_name = "tests"
urlpatterns = [
    path("", views.file_list, name="list"),
    path("new/", views.file_new, name="new"),
    path("file/<str:name>/", views.file_edit, name="file"),
    path("file/<str:name>/delete/", views.file_delete, name="delete"),
]
