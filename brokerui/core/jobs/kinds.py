"""The kinds of jobs. Each application registers its own in its module `job_kinds`, which is loaded with the first use:
a program that has no jobs to do, show or request starts without all that they work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from django.utils.functional import Promise
from django.utils.module_loading import autodiscover_modules

from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.work import JobWork

MAINTENANCE: Final = "maintenance"
PIPELINE: Final = "pipeline"
TASKS: Final = {
    MAINTENANCE: "brokerui.core.jobs.tasks.jobs_run",
    PIPELINE: "brokerui.core.jobs.tasks.jobs_run_pipeline",
}
"""The Celery task that runs the jobs of each queue."""


def _nothing(_job: Job) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """How jobs of one kind are done."""

    name: str
    label: Promise
    """The kind, as the page calls it."""
    describe: Callable[[Job], str]
    """Names the subject of a job for the page."""
    stages: Mapping[str, Promise] = field(default_factory=dict)
    """Names of the stages that `JobWork.progress` reports, for the page; a stage without one is not shown."""
    run: Callable[[JobWork], None]
    """Does the job. Called again for a job that an earlier attempt left half done."""
    queue: str = MAINTENANCE
    lapse_s: float = 60.0
    """A worker without a heartbeat for this long is taken for lost."""
    max_attempts: int = 3
    runs_again: bool = False
    """Whether a request for a running job has it run once more afterwards."""
    rest_s: float = 0.0
    """After a failure or a cancel, requests get the ended job for this long: a page that polls does not revive it."""
    on_state: Callable[[Job], None] = _nothing
    """Called in the transaction in which an attempt ends, and in which a waiting job is cancelled."""
    on_retry: Callable[[Job], None] = _nothing
    """Called in the transaction in which somebody tries an ended job again. Raises `JobStateError` to refuse."""


_kinds: dict[str, JobKind] = {}


@cache
def _load() -> None:
    """Load the module `job_kinds` of each application that has one."""
    autodiscover_modules("job_kinds")


def _known() -> dict[str, JobKind]:
    """Return every kind by its name."""
    _load()
    return _kinds


def register(kind: JobKind) -> None:
    """Make a kind known."""
    if kind.name in _kinds:
        message = f"the kind of job {kind.name} is registered twice"
        raise ValueError(message)
    _kinds[kind.name] = kind


def unregister(name: str) -> None:
    """Forget a kind."""
    del _kinds[name]


def kind_of(name: str) -> JobKind:
    """The kind of that name. Raises `KeyError` if none is registered."""
    return _known()[name]


def stage_label(job: Job) -> str:
    """Return the step of a running job in words; empty where it does not run, or its kind has no steps."""
    kind = _known().get(job.kind)
    return str(kind.stages.get(job.stage, "")) if kind is not None and job.state == JobState.RUNNING else ""


def kinds() -> list[JobKind]:
    """Every kind, by name."""
    return [kind for _, kind in sorted(_known().items())]


def names_on(queue: str) -> list[str]:
    """Names of the kinds whose jobs a queue runs."""
    return [kind.name for kind in kinds() if kind.queue == queue]
