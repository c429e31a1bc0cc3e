"""Messages that flow again after an act, until nothing of them waits."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig

from brokerui.estate.signals import version_written


class DrainsConfig(AppConfig):
    """Messages that flow again after an act, until nothing of them waits."""

    name = "brokerui.analysis.drains"
    label = "drains"

    def ready(self) -> None:
        """A new version may mend ways: their messages are watched until they are gone."""
        version_written.connect(_note, dispatch_uid="drains")


def _note(**_signal: Any) -> None:
    from brokerui.analysis.drains.services import version_noted  # noqa: PLC0415 - models, which are not there yet

    version_noted()
