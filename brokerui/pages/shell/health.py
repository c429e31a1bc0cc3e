"""For monitoring of the process: is it alive, can it serve."""

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from brokerui.accounts.access import public
from brokerui.core.migration_state import migration_state


@public
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers."""
    return JsonResponse({"status": "ok"})


@public
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 once the database answers and has every migration; else 503 with the problem."""
    problem = _problem()
    if problem is None:
        return JsonResponse({"status": "ok"})
    return JsonResponse({"status": "not ready", "problem": problem}, status=503)


def _problem() -> str | None:
    try:
        return migration_state().problem
    except DatabaseError:
        return "the database does not answer"
