"""Drafts as an application of Django."""

from django.apps import AppConfig


class ChangesConfig(AppConfig):
    """Drafts of the live estate."""

    name = "brokerui.changes"
    label = "changes"
