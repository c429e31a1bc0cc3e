"""Tasks of lint, which the schedule and each new version of the estate start."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.lint.models import LintRun
from brokerui.analysis.lint.selectors import AGAIN, is_small
from brokerui.analysis.lint.services import request_lint, runs_prune
from brokerui.estate.selectors import estate_current


@shared_task(name="brokerui.lint.tasks.lint_refresh")
def lint_refresh() -> None:
    """Request a check of the live estate if none was made lately; delete old results."""
    request_live_lint()
    runs_prune()


def request_live_lint() -> None:
    """Request a check of the live estate as it is now, unless it is small or was checked lately."""
    live = estate_current()
    lately = LintRun.objects.filter(key=live.digest, moment="", evaluated_at__gt=timezone.now() - AGAIN)
    if not is_small(live.estate) and not lately.exists():
        request_lint(EstateTarget(live.digest, version=live.version))
