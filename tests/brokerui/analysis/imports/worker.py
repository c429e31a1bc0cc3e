"""A worker of its own process: `python -m tests.brokerui.analysis.imports.worker ACT`.

`begin` makes an import due, `hang WHERE` takes it up and stops for ever in the middle, `work` does the due work after
a worker that hangs counts as lost, `apply` has the import applied, and `report` prints its result.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import timedelta
from typing import Any

from brokerui.core.start import django_ready


def begin() -> None:
    from django.core.management import call_command

    from tests.brokerui.analysis.imports.helpers import assigned, uploaded

    call_command("migrate", verbosity=0)
    assigned(uploaded())


def hang(where: str) -> None:
    """Says so once it is in the middle."""
    from brokerui.analysis.imports import import_job
    from brokerui.core.jobs.tasks import jobs_run

    def stop(*_arguments: Any, **_named: Any) -> None:
        sys.stdout.write("in the middle\n")
        sys.stdout.flush()
        time.sleep(600)

    setattr(import_job, where, stop)
    jobs_run()


def work() -> None:
    from django.utils import timezone

    from brokerui.core.jobs.models import Job
    from brokerui.core.jobs.tasks import jobs_run

    Job.objects.filter(state="running").update(lapses_at=timezone.now() - timedelta(seconds=1))
    jobs_run()


def apply() -> None:
    from brokerui.analysis.imports.models import ImportRun
    from brokerui.analysis.imports.services import run_apply

    run_apply(run=ImportRun.objects.get(), author="boss")


def report() -> None:
    from brokerui.analysis.imports.models import ImportRun
    from brokerui.estate.models import AuditEntry, Instance, Version

    run = ImportRun.objects.get()
    assert run.job is not None
    counts = {model.__name__: model.objects.count() for model in (Version, Instance)}
    counts["imported"] = AuditEntry.objects.filter(action="estate.import").count()
    sys.stdout.write(json.dumps({"state": run.state, "attempts": run.job.attempts, **counts}) + "\n")


if __name__ == "__main__":
    django_ready()
    words = iter(sys.argv[1:])
    for word in words:
        globals()[word](*([next(words)] if word == "hang" else []))
