"""A worker of its own process: `python -m tests.brokerui.analysis.effect.worker ACT`.

`begin WHERE` drafts edits, requests their comparison and hangs in it, `hang WHERE` takes the comparison up and stops
for ever in the middle, `work` does the due work after a worker that hangs counts as lost, and tries it again where it
had failed.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import timedelta
from typing import Any

from brokerui.core.start import django_ready


def begin(where: str) -> None:
    from django.core.management import call_command
    from django.utils import timezone

    from brokerui.analysis.effect.background import request_comparison
    from brokerui.analysis.effect.change import change_of
    from brokerui.changes.services import draft_create
    from brokerui.estate.scenarios.selectors import scenario_get
    from routing.model.edits import DropRoute
    from tests.brokerui.estate.helpers import brought_in

    call_command("migrate", verbosity=0)
    brought_in(scenario_get("three-servers"))
    draft = draft_create(name="moves", author="ada", edits=[DropRoute("office", "Ledger", "AskForRoutes")])
    request_comparison(change_of(draft), timezone.now())
    hang(where)


def hang(where: str) -> None:
    """Says so once it is in the middle: of comparing (`packed` is next), or of the transaction that keeps it."""
    from brokerui.analysis.effect import background
    from brokerui.core.jobs.work import JobWork

    def stop(*_arguments: Any, **_named: Any) -> None:
        sys.stdout.write("in the middle\n")
        sys.stdout.flush()
        time.sleep(600)  # the test kills this process meanwhile

    setattr(JobWork if where == "hold" else background, where, stop)
    _lapsed_run()


def work() -> None:
    """Prints what there is, once when the due work is done and once after another try."""
    from brokerui.core.jobs.models import Job
    from brokerui.core.jobs.requests import retry
    from brokerui.core.jobs.tasks import jobs_run

    _lapsed_run()
    found = [_report()]
    retry(Job.objects.get().pk, author="ada")
    jobs_run()
    sys.stdout.write(json.dumps([*found, _report()]))


def _lapsed_run() -> None:
    from django.utils import timezone

    from brokerui.core.jobs.models import Job
    from brokerui.core.jobs.tasks import jobs_run

    Job.objects.filter(state="running").update(lapses_at=timezone.now() - timedelta(seconds=1))
    jobs_run()


def _report() -> dict[str, Any]:
    from django.utils import timezone

    from brokerui.analysis.effect.background import kept_ends
    from brokerui.analysis.effect.change import change_of
    from brokerui.analysis.effect.effect import Effect
    from brokerui.analysis.effect.models import KeptEffect
    from brokerui.changes.models import SavedDraft
    from brokerui.core.jobs.models import Job

    job, change, at = Job.objects.get(), change_of(SavedDraft.objects.get()), timezone.now()
    kept = kept_ends(change, at)
    right = Effect(change, at).settle(lambda done, total: None).ends
    is_right = kept is not None and (kept.as_json(), len(kept.groups)) == (right.as_json(), len(right.groups))
    return {
        "state": job.state,
        "failure": job.failure,
        "attempts": job.attempts,
        "kept": KeptEffect.objects.count(),
        "is_right": is_right,
    }


if __name__ == "__main__":
    django_ready()
    globals()[sys.argv[1]](*sys.argv[2:])
