"""Addresses of this part."""

from django.urls import URLPattern, URLResolver

app_name = "imports"
urlpatterns: list[URLPattern | URLResolver] = []
