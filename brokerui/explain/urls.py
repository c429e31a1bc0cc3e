"""Addresses of the page."""

from django.urls import path

from brokerui.explain import views

app_name = "explain"
urlpatterns = [
    path("", views.where, name="where"),
    path("options/<slug:field>/", views.options, name="options"),
]
