"""Choices of the reader that hold on every page."""

from django.urls import path
from django.views.i18n import set_language

from brokerui.accounts.access import public
from brokerui.pages.shell.theme import keys_choose, theme_choose

app_name = "shell"
urlpatterns = [
    path("theme/", public(theme_choose), name="theme"),
    path("shortcuts/", public(keys_choose), name="keys"),
    path("language/", public(set_language), name="language"),
]
