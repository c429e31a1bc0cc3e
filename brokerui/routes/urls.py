"""Addresses of this part."""

from django.urls import URLPattern, URLResolver

app_name = "routes"
urlpatterns: list[URLPattern | URLResolver] = []
