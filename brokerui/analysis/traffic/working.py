"""Doing a round: one job after the other, in one process beside, while somebody may look on and cancel."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from brokerui.analysis.traffic.generated import generated_commands
from brokerui.analysis.traffic.jobs import PipelineCommand, inputs_digest, jobs_of_a_round
from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.analysis.traffic.models.rounds import OPEN
from brokerui.analysis.traffic.process import LINES, RoundProcess
from brokerui.analysis.traffic.rounds import rounds_prune
from brokerui.analysis.traffic.services import gold_load
from brokerui.analysis.traffic.simulated_day import SimulatedDay, day_write
from brokerui.core.jobs.errors import JobFailedError
from brokerui.core.jobs.work import JobWork
from routing.common.errors import InputError

PROGRESS_S = 1.0
"""Progress is written, and a cancel is seen, once in this time."""

PLAN = "plan"
"""The name under which it is noted that the commands could not be made."""

Step = dict[str, Any]


def run(work: JobWork) -> None:
    """Do the round of the job, from its beginning also where an earlier worker did a part."""
    found = Round.objects.filter(job=work.job, state__in=OPEN).first()
    if found is None:
        return
    begun = {"state": RoundState.RUNNING, "began_at": timezone.now(), "steps": [], "log": "", "error": ""}
    Round.objects.filter(pk=found.pk).update(**begun)
    _RoundWork(found, work).do()
    rounds_prune()


class _RoundWork:
    """A round under way."""

    def __init__(self, found: Round, work: JobWork) -> None:
        self._found = found
        self._row = Round.objects.filter(pk=found.pk)
        self._work = work
        self._steps: list[Step] = []
        self._log: deque[str] = deque(maxlen=LINES)
        self._process: RoundProcess | None = None
        self._errors: dict[str, str] = {}
        """The reason in one line, by the name of a command that failed or could not be run."""

    def do(self) -> None:
        """Run all of its commands, also after one that failed. Raises `JobFailedError` with the reason of the first
        failure."""
        digest = ""
        try:
            digest, commands = self._planned()
            for done, command in enumerate(commands):
                self._work.progress(command.name, done, len(commands))
                self._try(command)
        except InputError as error:
            self._errors[PLAN] = str(error)
        finally:
            self._end_process()
        if self._errors:
            first = next(iter(self._errors.values()))
            self._write(error=first)
            raise JobFailedError(first)
        self._end(digest)

    def _try(self, command: PipelineCommand | SimulatedDay) -> None:
        """Do a command. One that fails, or whose input is missing because another failed, leaves the others theirs."""
        needed = command.needs if isinstance(command, PipelineCommand) else ""
        if needed and needed in self._errors:
            self._errors.setdefault(command.name, self._errors[needed])
            return
        try:
            self._do(command)
        except (InputError, JobFailedError) as error:
            self._errors.setdefault(command.name, str(error))
            self._steps[-1]["error"] = str(error)
            self._heard()

    def _planned(self) -> tuple[str, Sequence[PipelineCommand | SimulatedDay]]:
        """The digest of the files that it takes in, if any, and its commands."""
        if self._found.is_generated:
            return "", generated_commands(self._found.asked_at, seed=self._found.pk)
        return inputs_digest(), jobs_of_a_round()

    def _do(self, command: PipelineCommand | SimulatedDay) -> None:
        step: Step = {"name": command.name, "stage": "", "rows": 0, "seconds": 0.0}
        self._steps.append(step)
        began = time.monotonic()
        if isinstance(command, SimulatedDay):
            self._simulate(command, step, began)
        else:
            self._run_job(command, step, began)
        step["is_done"] = True
        self._heard()

    def _simulate(self, day: SimulatedDay, step: Step, began: float) -> None:
        def on_progress(events: int) -> None:
            step.update(events=events, seconds=round(time.monotonic() - began, 1))
            self._heard()

        step["events"], step["conversations"] = day_write(day, on_progress)
        step["seconds"] = round(time.monotonic() - began, 1)

    def _run_job(self, command: PipelineCommand, step: Step, began: float) -> None:
        process = self._running_process()
        process.begin((command.name, *command.arguments))
        while (status := process.wait(PROGRESS_S)) is None:
            step |= {**process.last_report, "seconds": round(time.monotonic() - began, 1)}
            self._heard()
        if status:
            raise JobFailedError(process.error())
        step |= {"stage": "", **process.last_report.get("counts", {}), "seconds": round(time.monotonic() - began, 1)}
        if command.is_loaded:
            step["stage"] = "load"
            self._heard()
            loaded = gold_load(str(command.out), is_generated=self._found.is_generated)
            step |= {"stage": "", "run": loaded.run.pk}

    def _running_process(self) -> RoundProcess:
        """Return the process of the round; where a job took it along, another."""
        if self._process is None or not self._process.is_running:
            self._end_process()
            master = ("--master", settings.PIPELINE_MASTER) if settings.PIPELINE_MASTER else ()
            self._process = RoundProcess(("--memory", settings.PIPELINE_MEMORY, *master), self._log)
        return self._process

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _heard(self) -> None:
        """Write how far it is. Raises what `JobWork.check` raises if it must stop."""
        self._write()
        self._work.check()

    def _write(self, **values: Any) -> None:
        with transaction.atomic():
            self._row.update(steps=self._steps, log="\n".join(self._log), **values)
            self._work.hold()

    def _end(self, digest: str) -> None:
        self._write(state=RoundState.DONE, ended_at=timezone.now(), inputs=digest)
