"""What workers do for the pages of reachability and flow. A wake-up says nothing: what is wanted is in the database."""

from __future__ import annotations

from celery import shared_task

from brokerui.analysis.reachability.services import survey_do, surveys_prune


@shared_task(name="brokerui.reachability.tasks.survey_refresh")
def survey_refresh() -> None:
    """Work out what was asked for; delete what is old."""
    while survey_do():
        pass
    surveys_prune()
