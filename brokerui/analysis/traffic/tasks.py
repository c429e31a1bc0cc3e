"""Scheduled tasks of the pipeline."""

from __future__ import annotations

from celery import shared_task

from brokerui.analysis.traffic.rounds import round_ask_if_new


@shared_task(name="brokerui.traffic_results.tasks.rounds_ask")
def rounds_ask() -> None:
    """Request a round if something is new."""
    round_ask_if_new()
