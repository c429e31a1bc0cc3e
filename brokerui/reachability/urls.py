"""Addresses of this part."""

from django.urls import URLPattern, URLResolver

app_name = "reachability"
urlpatterns: list[URLPattern | URLResolver] = []
