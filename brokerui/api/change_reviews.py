"""`changes/{id}/…`: reviewing a draft, applying it, rolling it back, and moving it onto the live version."""

from __future__ import annotations

from typing import Final

from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.change_bodies import ChangeSerializer, NothingSerializer, draft_found
from brokerui.api.change_review_bodies import (
    AppliedSerializer,
    ApplySerializer,
    CommentSerializer,
    NewCommentSerializer,
    ReviewSerializer,
    VersionOfChangeSerializer,
    confirmation_from,
    entry_as_json,
    step_as_json,
)
from brokerui.api.change_steps import commented_step, request_example
from brokerui.api.change_writing import change_response, change_written
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.changes import applying, rebasing, review
from brokerui.changes.deployment import deployment

_TAG: Final = gettext_lazy("Changes")


class ChangeRebase(ApiView):
    """The live version as the base of a draft."""

    @extend_schema(
        operation_id="change_rebase",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Rebase it"),
        description=gettext_lazy(
            "Moves the draft onto the live version. 409 names the objects that both changed, each with its value in "
            "the base, in the live estate and in the draft; nothing is written then."
        ),
        request=None,
        **openapi.write(ChangeSerializer),
    )
    def post(self, request: Request, number: str) -> Response:
        """Rebase it."""
        read_body(request.data or {}, NothingSerializer)
        return change_response(change_written(request, number, rebasing.draft_rebase))


class ChangeApply(ApiView):
    """A draft on its way to the live estate."""

    @extend_schema(
        operation_id="change_apply",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Apply it"),
        description=gettext_lazy(
            "Writes the edits as a version of the live estate. Hosted instances follow at once. On SQL Server nothing "
            "is changed: run the T-SQL of each step there, in this order."
        ),
        request=ApplySerializer,
        examples=[request_example("apply", {"confirm_within_s": 600, "delayed_limit": 50})],
        **openapi.write(AppliedSerializer),
    )
    def post(self, request: Request, number: str) -> Response:
        """Apply it."""
        body = read_body(request.data, ApplySerializer)
        draft = change_written(request, number, applying.draft_apply, confirmation=confirmation_from(body))
        assert draft.applied is not None
        steps = [step_as_json(step) for step in deployment(draft, timezone.now())]
        return change_response(draft, body={"version": draft.applied.number, "steps": steps})


class ChangeConfirm(ApiView):
    """A draft that was applied for a while."""

    @extend_schema(
        operation_id="change_confirm",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Confirm it"),
        description=gettext_lazy("Keeps an applied draft: it is not rolled back by itself any more."),
        request=None,
        **openapi.write(VersionOfChangeSerializer),
    )
    def post(self, request: Request, number: str) -> Response:
        """Confirm it."""
        read_body(request.data or {}, NothingSerializer)
        draft = change_written(request, number, applying.draft_confirm)
        assert draft.applied is not None
        return change_response(draft, body={"version": draft.applied.number})


class ChangeRollback(ApiView):
    """A draft on its way back."""

    @extend_schema(
        operation_id="change_rollback",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Roll it back"),
        description=gettext_lazy(
            "Takes an applied draft back with a new version: the document from before it, byte for byte, where nothing "
            "was written since; otherwise the live one without what the draft changed. 409 names the objects that "
            "were changed again since."
        ),
        request=CommentSerializer,
        examples=[request_example("comment", {"comment": "Directory is retired next week."})],
        **openapi.write(VersionOfChangeSerializer),
    )
    def post(self, request: Request, number: str) -> Response:
        """Roll it back."""
        body = read_body(request.data, CommentSerializer)
        draft = change_written(request, number, applying.draft_roll_back, **body)
        assert draft.rolled_back is not None
        return change_response(draft, body={"version": draft.rolled_back.number})


class ChangeReview(ApiView):
    """The review of a draft."""

    @extend_schema(
        operation_id="change_review_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read the review"),
        description=gettext_lazy("Comments, decisions and steps to the live estate, in order."),
        **openapi.conditional_get(ReviewSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return the entries in order."""
        read_query(request, NoQuery)
        body = {"entries": [entry_as_json(entry) for entry in draft_found(number).review.all()]}
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})

    @extend_schema(
        operation_id="change_comment",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Comment"),
        description=gettext_lazy("Adds a comment to the draft, or to one of its edits. Comments stay for ever."),
        request=NewCommentSerializer,
        examples=[request_example("comment", {"comment": "Does anything still rely on it?", "edit": 0})],
        **openapi.write(ChangeSerializer),
    )
    def post(self, request: Request, number: str) -> Response:
        """Add a comment."""
        body = read_body(request.data, NewCommentSerializer)
        return change_response(change_written(request, number, review.draft_comment, **body))


def addresses() -> list[URLPattern]:
    """Return the addresses of review, apply and rollback."""
    submit = commented_step(
        "submit",
        review.draft_submit,
        gettext_lazy("Submit"),
        gettext_lazy("Hands it over: its edits stay as they are."),
    )
    approve = commented_step(
        "approve",
        review.draft_approve,
        gettext_lazy("Approve"),
        gettext_lazy("Approves a submitted draft. A setting says whether its authors may."),
    )
    reject = commented_step(
        "reject", review.draft_reject, gettext_lazy("Reject"), gettext_lazy("Refuses a submitted draft.")
    )
    reopen = commented_step(
        "reopen", review.draft_reopen, gettext_lazy("Reopen"), gettext_lazy("Lets its edits be changed again.")
    )
    return [
        path("changes/<str:number>/submit/", submit, name="change_submit"),
        path("changes/<str:number>/approve/", approve, name="change_approve"),
        path("changes/<str:number>/reject/", reject, name="change_reject"),
        path("changes/<str:number>/reopen/", reopen, name="change_reopen"),
        path("changes/<str:number>/rebase/", ChangeRebase.as_view(), name="change_rebase"),
        path("changes/<str:number>/apply/", ChangeApply.as_view(), name="change_apply"),
        path("changes/<str:number>/confirm/", ChangeConfirm.as_view(), name="change_confirm"),
        path("changes/<str:number>/rollback/", ChangeRollback.as_view(), name="change_rollback"),
        path("changes/<str:number>/review/", ChangeReview.as_view(), name="change_review"),
    ]
