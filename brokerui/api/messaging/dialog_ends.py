"""`dialogs/end/`: several conversations ended, with a result for each."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.acts.ending import EndHow, EndPlan, end_each, end_plans
from brokerui.api.messaging.base import MessagingView, done_once
from brokerui.api.messaging.dialog_bodies import EndOnSerializer, EndResultsSerializer
from brokerui.api.messaging.dialogs import verb
from brokerui.api.serializers import read_body

EXAMPLE = {
    "conversation_handles": ["6f3f0d5e-0000-4000-8000-000000000001"],
    "error": {"code": 1, "description": "Ended by an operator."},
    "dry_run": True,
}


class DialogsEnd(MessagingView):
    """The end of several conversations, for this side."""

    @verb(
        "dialogs_end",
        _("End several"),
        EndOnSerializer,
        EndResultsSerializer,
        description=_(
            "Each for itself: a refusal of one changes nothing of the others, and the status is 200. With `dry_run`"
            " nothing is changed. An entry of the audit for each that ended says who did it."
        ),
        examples=[OpenApiExample("dry run", value=EXAMPLE, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        """END CONVERSATION of each."""

        def end() -> tuple[str, int, Any]:
            handles, how, dry_run = read_body(request.data, EndOnSerializer)
            if how.problem is not None:
                raise how.problem  # no conversation can be ended with it
            plans = _ended(handles, how, "" if dry_run else request.user.get_username())
            instance = next((plan.instance for plan in plans if plan.instance), "")
            return instance, 0, {"results": [_as_json(plan, is_done=not dry_run) for plan in plans]}

        return Response(done_once(request, "end", end))


def _ended(handles: list[str], how: EndHow, author: str) -> list[EndPlan]:
    """The plans, carried out where there is an author."""
    plans = end_plans(handles, how)
    return end_each(plans, how, author) if author else plans


def _as_json(plan: EndPlan, *, is_done: bool) -> dict[str, Any]:
    done, refused = ("ended", "refused") if is_done else ("would_end", "would_be_refused")
    return {
        "conversation_handle": plan.handle,
        "result": refused if plan.refusal else done,
        "instance": plan.instance or None,
        "messages": plan.messages,
        "deleted": plan.deleted,
        "is_notified": plan.is_notified,
        "number": plan.number or None,
        "detail": plan.refusal or None,
    }
