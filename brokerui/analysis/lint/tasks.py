"""What workers do for lint. A wake-up says nothing: what is wanted stands in the database."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from brokerui.analysis.lint.models import LintRun
from brokerui.analysis.lint.selectors import AGAIN, is_small
from brokerui.analysis.lint.services import lint_want, runs_prune, wanted_do
from brokerui.analysis.lint.wanted import Wanted
from brokerui.core.celery_wake import wake
from brokerui.estate.selectors import estate_current

AT_ONCE = 10
"""Estates that one task looks over; the next one goes on."""


@shared_task(name="brokerui.lint.tasks.lint_refresh")
def lint_refresh() -> None:
    """Look over what was asked for, the live estate too where that was not done lately; delete what is old."""
    live_want()
    for _ in range(AT_ONCE):
        if not wanted_do():
            break
    else:
        wake(lint_refresh)
    runs_prune()


def live_want() -> None:
    """Ask for the live estate as it is now, unless it was looked over lately."""
    live = estate_current()
    lately = LintRun.objects.filter(key=live.digest, moment="", evaluated_at__gt=timezone.now() - AGAIN)
    if not is_small(live.estate) and not lately.exists():
        lint_want(Wanted(live.digest, version=live.version))
