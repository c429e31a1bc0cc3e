"""What is wrong with the estate, found in the background."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig

from brokerui.estate.signals import version_written


class LintConfig(AppConfig):
    """What is wrong with the estate, found in the background."""

    name = "brokerui.analysis.lint"
    label = "lint"

    def ready(self) -> None:
        """Each new version is looked over as soon as it is there."""
        version_written.connect(_refresh, dispatch_uid="lint")


def _refresh(**_signal: Any) -> None:
    from brokerui.analysis.lint.services import wake_refresh  # noqa: PLC0415 - models are loaded only now

    wake_refresh()
