"""Addresses of the demo."""

from django.urls import path

from brokerui.pages.demo import views

app_name = "demo"
urlpatterns = [path("remove/", views.demo_take_away, name="remove")]
