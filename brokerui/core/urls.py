"""Choices of the reader that hold on every page."""

from django.urls import path
from django.views.i18n import set_language

from brokerui.core.theme import theme_choose

app_name = "core"
urlpatterns = [
    path("theme/", theme_choose, name="theme"),
    path("language/", set_language, name="language"),
]
