"""System check of the pipeline's rounds: one that waits in vain is told at the start, in the log and by `status`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning  # noqa: A004 - Django's name
from django.db import DatabaseError

from brokerui.analysis.traffic.models import Round
from brokerui.analysis.traffic.models.rounds import OPEN
from brokerui.analysis.traffic.waiting_rounds import WaitCause, round_wait

TOLD_BY_OTHERS = (WaitCause.REDIS, WaitCause.WORKERS)
"""Causes that keep everything waiting; before the start of the product they are no fault."""


def rounds_have_a_worker(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W014: a round of the pipeline waits, and no worker starts it."""
    if not kwargs.get("databases"):
        return []
    try:
        found = Round.objects.filter(state__in=OPEN).select_related("job").last()
    except DatabaseError:
        return []  # not migrated yet
    wait = round_wait(found) if found is not None else None
    if found is None or wait is None or wait.cause in TOLD_BY_OTHERS:
        return []
    return [
        Warning(
            f"Round {found.pk} of the pipeline waits. {wait.sentence}",
            hint=f"{wait.remedy} {'; '.join(wait.commands)}",
            id="brokerui.W014",
        )
    ]
