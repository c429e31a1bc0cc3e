"""Users, roles and tokens."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    """Roles, signing in, tokens."""

    name = "brokerui.accounts"
    label = "accounts"

    def ready(self) -> None:
        """The groups of the roles are there once their permissions are."""
        from brokerui.accounts.services import roles_ensure  # noqa: PLC0415 - models are loaded only now

        post_migrate.connect(roles_ensure, sender=self)
