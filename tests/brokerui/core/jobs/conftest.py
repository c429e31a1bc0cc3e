"""A kind of job whose work each test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from django.utils.translation import gettext_lazy as _

from brokerui.core.jobs import kinds
from brokerui.core.jobs.kinds import JobKind, register, unregister
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.work import JobWork


@dataclass
class Bench:
    """What the kind `bench` does, and what it was called for."""

    work: Callable[[JobWork], object] = lambda work: None
    states: list[str] = field(default_factory=list)
    retries: list[int] = field(default_factory=list)

    def run(self, work: JobWork) -> None:
        self.work(work)

    def on_state(self, job: Job) -> None:
        self.states.append(job.state)

    def on_retry(self, job: Job) -> None:
        self.retries.append(job.pk)

    def set(self, **values: Any) -> None:
        """Change attributes of the kind."""
        kind = kinds.kind_of("bench")
        unregister("bench")
        register(replace(kind, **values))


@pytest.fixture
def bench() -> Iterator[Bench]:
    found = Bench()
    register(
        JobKind(
            name="bench",
            label=_("Job"),
            describe=lambda job: job.key,
            run=found.run,
            on_state=found.on_state,
            on_retry=found.on_retry,
        )
    )
    yield found
    unregister("bench")
