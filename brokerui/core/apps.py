"""The part of the site that every page shares."""

from django.apps import AppConfig
from django.core.checks import register


class CoreConfig(AppConfig):
    """Base page, theme, errors, health."""

    name = "brokerui.core"

    def ready(self) -> None:
        """Have misconfiguration reported by `manage.py check` and at every start."""
        from brokerui.core import checks  # noqa: PLC0415 - settings are complete only now

        register(checks.home_is_writable)
        register(checks.secret_key_is_private)
        register(checks.debug_is_local)
