"""Addresses of this part."""

from django.urls import URLPattern, URLResolver

app_name = "flow"
urlpatterns: list[URLPattern | URLResolver] = []
