"""What the worker of the pipeline does, and others for it. A wake-up says nothing: what is due is in the database."""

from __future__ import annotations

from celery import shared_task
from celery.signals import worker_shutting_down

from brokerui.analysis.traffic.rounds import is_awaited, round_ask_if_new, rounds_give_up
from brokerui.analysis.traffic.working import round_do, stopping
from brokerui.core.celery_wake import wake


@shared_task(name="brokerui.traffic_results.tasks.rounds_work")
def rounds_work() -> None:
    """A round of the pipeline, where one is asked for."""
    round_do()


@shared_task(name="brokerui.traffic_results.tasks.rounds_ask")
def rounds_ask() -> None:
    """By the clock: a round, where something is new."""
    round_ask_if_new()
    rounds_look()


@shared_task(name="brokerui.traffic_results.tasks.rounds_look")
def rounds_look() -> None:
    """Rounds whose worker is gone, and whose wake-up was lost."""
    rounds_give_up()
    if is_awaited():
        wake(rounds_work)


@worker_shutting_down.connect
def _end_round(**_signal: object) -> None:
    """A round under way must not keep the worker: it is interrupted, and the next one begins anew."""
    stopping.set()
