"""The page of background work: what workers do beside the pages."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.core.htmx import wants_piece
from brokerui.core.jobs import requests
from brokerui.core.jobs.errors import JobStateError
from brokerui.core.jobs.models import Job
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of, values_of
from brokerui.pages.jobs.page import page_of

ACTED_FROM = ("/jobs/", "/changes/")
"""Pages with buttons that cancel a job or try it again: they are shown again then."""


@require_safe
@vary_on_headers("HX-Request")
def job_list(request: HttpRequest) -> HttpResponse:
    """All jobs, or those of a state or kind."""
    context = {"page": page_of(request.GET.dict())}
    return render(request, "jobs/_jobs.html" if wants_piece(request) else "jobs/list.html", context)


@access(write=Level.EDIT)
@require_POST
def job_cancel(request: HttpRequest, number: int) -> HttpResponse:
    """Cancel a job that waits; ask the worker of a running one to stop."""
    return _changed(request, number, requests.cancel, "job.cancel", _("It was over before it could be cancelled."))


@access(write=Level.EDIT)
@require_POST
def job_retry(request: HttpRequest, number: int) -> HttpResponse:
    """Have a job that failed or was cancelled tried again."""
    return _changed(request, number, requests.retry, "job.retry", _("It cannot be tried again any more."))


def _changed(request: HttpRequest, number: int, change: Callable[..., Job], action: str, refusal: str) -> HttpResponse:
    author = request.user.get_username()
    try:
        with transaction.atomic():
            before = Job.objects.filter(pk=number).values("state", "cancelled_by").first()
            job = change(number, author=author)
            changes = changes_of(before, values_of(job, "state", "cancelled_by"))
            audit(author=author, action=action, note=str(job), changes=changes)
    except Job.DoesNotExist:
        raise Http404 from None
    except JobStateError:
        messages.warning(request, refusal)
    to = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(to, allowed_hosts=None) and to.startswith(ACTED_FROM)
    return redirect(to if is_ours else "jobs:list")
