"""Addresses of this part."""

from django.urls import URLPattern, URLResolver

app_name = "map"
urlpatterns: list[URLPattern | URLResolver] = []
