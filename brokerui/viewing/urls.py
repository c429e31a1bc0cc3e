"""Addresses of what every estate has."""

from django.urls import path

from brokerui.viewing import views

app_name = "viewing"
urlpatterns = [path("estate.json", views.document, name="document")]
