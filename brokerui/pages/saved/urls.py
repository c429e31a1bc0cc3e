"""Addresses of saved views."""

from django.urls import path

from brokerui.pages.saved import views

app_name = "saved"
urlpatterns = [
    path("", views.saved_list, name="list"),
    path("save/", views.save, name="save"),
    path("<slug:key>/", views.saved, name="view"),
    path("<slug:key>/delete/", views.delete, name="delete"),
]
