"""Addresses of what every estate has."""

from django.urls import path

from brokerui.pages.shell import estate_document

app_name = "estate"
urlpatterns = [path("estate.json", estate_document.document, name="document")]
