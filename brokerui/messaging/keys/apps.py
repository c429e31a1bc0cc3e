"""Keys of dialog security."""

from django.apps import AppConfig
from django.core.checks import Tags, register

from brokerui.core.conditions import TAG


class KeysConfig(AppConfig):
    """Key pairs of hosted databases."""

    name = "brokerui.messaging.keys"
    label = "keys"

    def ready(self) -> None:
        """Have keys that cannot be decrypted reported."""
        from brokerui.messaging.keys import checks  # noqa: PLC0415 - models, which are not there yet at the start

        register(checks.stored_keys_can_be_decrypted, TAG, Tags.database)
