"""Scheduled tasks of imports."""

from __future__ import annotations

from celery import shared_task

from brokerui.analysis.imports.services import runs_prune


@shared_task(name="brokerui.intake.tasks.imports_work")
def imports_work() -> None:
    """Discard abandoned imports. In earlier versions this task also read and applied imports."""
    runs_prune()
