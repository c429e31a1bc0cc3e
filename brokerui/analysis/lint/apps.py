"""Findings of estates, computed in the background."""

from __future__ import annotations

from typing import Any

from celery import current_app
from django.apps import AppConfig

from brokerui.core.celery_wake import wake_on_commit
from brokerui.estate.signals import version_written


class LintConfig(AppConfig):
    """Findings of estates, computed in the background."""

    name = "brokerui.analysis.lint"
    label = "lint"

    def ready(self) -> None:
        """Each new version is looked over as soon as it is there."""
        version_written.connect(_refresh, dispatch_uid="lint")


def _refresh(**_signal: Any) -> None:
    """Wake the task by its name: its module needs models, which are not loaded yet where this one is imported."""
    wake_on_commit(current_app.signature("brokerui.lint.tasks.lint_refresh"))
