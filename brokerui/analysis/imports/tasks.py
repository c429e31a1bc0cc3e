"""What workers do for imports. A wake-up says nothing: what is due stands in the database."""

from __future__ import annotations

from celery import shared_task

from brokerui.analysis.imports.services import runs_prune
from brokerui.analysis.imports.working import next_do
from brokerui.core.celery_wake import wake

AT_ONCE = 5
"""Imports that one task sees to; the next one goes on."""


@shared_task(name="brokerui.intake.tasks.imports_work")
def imports_work() -> None:
    """Read and apply what is due; forget what nobody went on with."""
    for _ in range(AT_ONCE):
        if not next_do():
            break
    else:
        wake(imports_work)
    runs_prune()
