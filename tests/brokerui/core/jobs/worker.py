"""A worker of its own process: `python -m tests.brokerui.core.jobs.worker ACT…`.

`request` asks for a job; `hang` claims that job and stops in the middle of it; `work` does the jobs that are due;
`report` prints the state of the job. The job of kind `killed` writes an audit entry in the transaction that ends it.
"""

from __future__ import annotations

import json
import sys
import time

from brokerui.core.start import django_ready

LAPSE_S = 1.0


def register_kind(*, hangs: bool = False) -> None:
    from django.db import transaction
    from django.utils.translation import gettext_lazy as _

    from brokerui.core.jobs.kinds import JobKind, register
    from brokerui.core.jobs.work import JobWork
    from brokerui.estate.audit import audit

    def run(work: JobWork) -> None:
        with transaction.atomic():
            audit(author="worker", action="job.test")
            work.progress("in the middle", 1, 2)
            if hangs:
                sys.stdout.write("in the middle\n")
                sys.stdout.flush()
                time.sleep(600)
            work.hold()

    register(JobKind(name="killed", label=_("Job"), describe=str, run=run, lapse_s=LAPSE_S))


def request() -> None:
    from django.core.management import call_command

    from brokerui.core.jobs.requests import request as request_job

    call_command("migrate", verbosity=0)
    register_kind(hangs=True)
    request_job("killed", "a")


def hang() -> None:
    from brokerui.core.jobs.kinds import MAINTENANCE
    from brokerui.core.jobs.running import run_next

    run_next(MAINTENANCE)


def work() -> None:
    from brokerui.core.jobs.tasks import jobs_run

    register_kind()
    jobs_run()


def report() -> None:
    from brokerui.core.jobs.models import Job
    from brokerui.estate.models import AuditEntry

    job = Job.objects.get(kind="killed")
    written = AuditEntry.objects.filter(action="job.test").count()
    found = {"state": job.state, "attempts": job.attempts, "failure": job.failure, "written": written}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    django_ready()
    for act in sys.argv[1:]:
        globals()[act]()
