"""Scripts, catalogs and documents on their way into the live estate."""

from django.apps import AppConfig


class IntakeConfig(AppConfig):
    """Scripts, catalogs and documents on their way into the live estate."""

    name = "brokerui.analysis.imports"
    label = "intake"
