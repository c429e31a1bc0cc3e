"""Doing a round: one job after the other, each a process of its own, while somebody may look on and cancel."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from brokerui.analysis.traffic.jobs import Job, inputs_digest, jobs_of_a_round
from brokerui.analysis.traffic.models import Round, State
from brokerui.analysis.traffic.process import LINES, JobProcess
from brokerui.analysis.traffic.rounds import rounds_give_up, rounds_prune
from brokerui.analysis.traffic.services import gold_load
from routing.common.errors import InputError

HEARD_SECONDS = 1.0
"""So often progress is written, and it is seen that somebody cancelled."""
ERROR = "error: "
stopping = threading.Event()
"""The worker is about to end."""

Step = dict[str, Any]


class _EndedError(Exception):
    """The round ends before its time: `state` says how."""

    def __init__(self, state: State, error: str = "") -> None:
        super().__init__(error)
        self.state = state


def round_do() -> bool:
    """Do the round that was asked for; False where none was."""
    rounds_give_up()
    taken = _taken()
    if taken is None:
        return False
    _Work(taken).do()
    rounds_prune()
    return True


def _taken() -> Round | None:
    """The round that waits; nobody else has one then."""
    now, claim = timezone.now(), uuid4().hex
    try:
        with transaction.atomic():
            waiting = Round.objects.filter(state=State.WAITING)
            if not waiting.update(state=State.RUNNING, claim=claim, began_at=now, heard_at=now):
                return None
    except IntegrityError:
        return None
    return Round.objects.get(claim=claim)


class _Work:
    """A round under way."""

    def __init__(self, taken: Round) -> None:
        self._round = taken
        self._steps: list[Step] = []
        self._log: deque[str] = deque(maxlen=LINES)

    def do(self) -> None:
        """All of its jobs; it ends as done, or as what kept it from that."""
        try:
            digest = inputs_digest()
            for job in jobs_of_a_round():
                self._do(job)
            self._end(State.DONE, inputs=digest)
        except _EndedError as ended:
            self._end(ended.state, error=str(ended))
        except InputError as error:
            self._end(State.FAILED, error=str(error))
        except Exception:
            # A fault of ours, and the page says so: it must not look as if somebody still worked on it.
            self._end(State.FAILED)
            raise

    def _do(self, job: Job) -> None:
        step: Step = {"name": job.name, "stage": "", "rows": 0, "seconds": 0.0}
        self._steps.append(step)
        began = time.monotonic()
        process = JobProcess((job.name, *job.arguments, "--memory", settings.PIPELINE_MEMORY), self._log)
        try:
            while (status := process.wait(HEARD_SECONDS)) is None:
                step |= {**process.told, "seconds": round(time.monotonic() - began, 1)}
                self._heard()
        finally:
            process.end()
        if status:
            raise _EndedError(State.FAILED, self._said())
        step |= {"stage": "", **process.told.get("counts", {}), "seconds": round(time.monotonic() - began, 1)}
        if job.is_loaded:
            step["stage"] = "load"
            self._heard()
            step |= {"stage": "", "run": gold_load(str(job.out)).run.pk}
        step["is_done"] = True
        self._heard()

    def _said(self) -> str:
        """The line in which the job said what is wrong."""
        lines = [line for line in self._log if line.strip()]
        told = [line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)]
        return (told or lines or [""])[-1]

    def _heard(self) -> None:
        """Write how far it is. Raises `_EndedError` where it shall not go on."""
        if stopping.is_set():
            raise _EndedError(State.INTERRUPTED)
        if not self._mine().update(steps=self._steps, log="\n".join(self._log), heard_at=timezone.now()):
            raise _EndedError(State.INTERRUPTED)
        if self._mine().exclude(cancelled_by="").exists():
            raise _EndedError(State.CANCELLED)

    def _end(self, state: State, **values: str) -> None:
        told = {"steps": self._steps, "log": "\n".join(self._log), "ended_at": timezone.now(), "claim": ""}
        self._mine().update(state=state, **told, **values)

    def _mine(self) -> Any:
        """The row, as long as it is ours: who was not heard of for long has lost it."""
        return Round.objects.filter(pk=self._round.pk, claim=self._round.claim)
