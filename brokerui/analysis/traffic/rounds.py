"""Rounds of the pipeline: asked for, due, cancelled, forgotten. Doing them is another matter (working.py)."""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from brokerui.analysis.traffic.jobs import has_sources, inputs_digest
from brokerui.analysis.traffic.models import Round, State
from brokerui.analysis.traffic.models.rounds import OPEN
from brokerui.core.celery_wake import wake_on_commit
from brokerui.estate.audit import SYSTEM, audit

LAPSE = timedelta(seconds=20)
"""A worker that was not heard of for so long is no more."""
PATIENCE = timedelta(hours=1)
KEPT = 50


class NothingToTakeInError(Exception):
    """Neither an event log is written nor a folder of traffic named."""


def round_ask(*, author: str) -> Round:
    """Have a round done now; who asks while one is open gets that one. Raises `NothingToTakeInError`."""
    from brokerui.analysis.traffic.tasks import rounds_work  # noqa: PLC0415 - the task does what is asked for here

    if not has_sources():
        raise NothingToTakeInError
    rounds_give_up()
    with transaction.atomic():
        found, is_new = _open_or_new(author)
        if is_new:
            audit(author=author, action="pipeline.run", note=str(found))
        wake_on_commit(rounds_work)
    return found


def _open_or_new(author: str) -> tuple[Round, bool]:
    known = Round.objects.filter(state__in=OPEN).first()
    if known is not None:
        return known, False
    try:
        with transaction.atomic():
            asked = Round.objects.create(asked_at=timezone.now(), asked_by=author, state=State.WAITING)
    except IntegrityError:
        # Somebody asked at the same moment.
        return Round.objects.get(state=State.WAITING), False
    return asked, True


@transaction.atomic
def round_cancel(*, number: int, author: str) -> bool:
    """Have a round end, with nothing half written. False where it is over already."""
    now = timezone.now()
    rounds = Round.objects.filter(pk=number)
    is_done = rounds.filter(state=State.WAITING).update(state=State.CANCELLED, cancelled_by=author, ended_at=now)
    is_done = is_done or rounds.filter(state=State.RUNNING).update(cancelled_by=author)
    if is_done:
        audit(author=author, action="pipeline.cancel", note=f"round {number} of the pipeline")
    return bool(is_done)


def round_ask_if_new() -> None:
    """Have a round done where something is new since the last one that came to its end."""
    if not has_sources() or Round.objects.filter(state__in=OPEN).exists():
        return
    done = Round.objects.filter(state=State.DONE).first()
    digest = inputs_digest()
    if digest and (done is None or done.inputs != digest):
        _open_or_new(SYSTEM)


def is_awaited() -> bool:
    """Whether a round waits for a worker that may have missed its wake-up.

    Not for ever: where no worker of the pipeline runs, nobody takes wake-ups out of its queue.
    """
    return Round.objects.filter(state=State.WAITING, asked_at__gt=timezone.now() - PATIENCE).exists()


def rounds_give_up() -> int:
    """Rounds whose worker is gone are interrupted; so many."""
    gone = Round.objects.filter(state=State.RUNNING, heard_at__lt=timezone.now() - LAPSE)
    return gone.update(state=State.INTERRUPTED, ended_at=timezone.now(), claim="")


def rounds_prune() -> None:
    """Forget all but the last."""
    Round.objects.exclude(pk__in=list(Round.objects.values_list("pk", flat=True)[:KEPT])).delete()
