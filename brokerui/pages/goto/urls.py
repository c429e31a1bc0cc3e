"""Addresses of this part."""

from django.urls import path

from brokerui.pages.goto import views

app_name = "goto"
urlpatterns = [path("", views.goto, name="goto")]
