"""What is wrong with the estate, found in the background."""

from django.apps import AppConfig


class LintConfig(AppConfig):
    """What is wrong with the estate, found in the background."""

    name = "brokerui.lint"
