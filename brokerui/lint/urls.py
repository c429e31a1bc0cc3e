"""Addresses of this part."""

from django.urls import URLPattern, URLResolver

app_name = "findings"
urlpatterns: list[URLPattern | URLResolver] = []
