"""The background job that reads or applies an import."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.imports.import_job import IMPORT, import_follows, import_retried, run_job
from brokerui.analysis.imports.labels import APPLYING, PHASES
from brokerui.core.jobs.kinds import JobKind, register
from brokerui.core.jobs.models import Job


def describe(job: Job) -> str:
    """The import, as the page of background work calls it."""
    return gettext("import %(number)s") % {"number": job.key}


register(
    JobKind(
        name=IMPORT,
        label=lazy("Import"),
        describe=describe,
        stages={**PHASES, **APPLYING},
        run=run_job,
        # The next step may be asked for before the job of this one has ended.
        runs_again=True,
        on_state=import_follows,
        on_retry=import_retried,
    )
)
