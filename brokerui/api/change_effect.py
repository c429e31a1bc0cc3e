"""`changes/ID/diff/` and `changes/ID/checks/`: what a draft does to conversations and findings."""

from __future__ import annotations

from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.effect import effect as effects
from brokerui.analysis.effect.change import Change, change_of
from brokerui.analysis.effect.effect import LATE, effect_shown, progress_of
from brokerui.analysis.effect.finding_changes import FindingChanges, finding_changes
from brokerui.analysis.effect.report import MAX_ROWS, ReportUnfinishedError, report_of
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.routing_tests.selectors import kept_results
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.change_bodies import draft_found
from brokerui.api.fields import StrictIntegerField
from brokerui.api.import_results import FindingSerializer
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery
from brokerui.api.routing_tests import RoutingTestResultSerializer, result_as_json
from brokerui.api.serializers import QuerySerializer, read_query
from brokerui.changes.selectors import base_version_of, draft_estate
from brokerui.core.deferred import RETRY_AFTER_S
from brokerui.core.jobs.models import Job
from brokerui.core.templatetags.wording import translate
from routing.diff.result import WORSE

_TAG: Final = gettext_lazy("Changes")


class DiffQuery(QuerySerializer):
    """How much of a comparison."""

    limit = StrictIntegerField(
        min_value=0, max_value=MAX_ROWS, default=MAX_ROWS, help_text=gettext_lazy("Rows of `changed` at the most.")
    )


class DiffSerializer(serializers.Serializer):
    """The report of `brokerui diff` from the base of a draft to the draft."""

    version = serializers.IntegerField(min_value=0, help_text=gettext_lazy("The version that the draft was made on."))
    classes = serializers.IntegerField(min_value=0)
    changed = serializers.ListField(child=serializers.DictField())
    truncated = serializers.BooleanField()
    groups = serializers.ListField(child=serializers.DictField())
    summary = serializers.DictField(child=serializers.IntegerField())
    intended = serializers.DictField(child=serializers.IntegerField())
    verdict = serializers.ChoiceField(["worse", "changed", "unchanged"])


class FindingChangesSerializer(serializers.Serializer):
    """Findings of the draft or of its base alone."""

    new = FindingSerializer(many=True)
    gone = FindingSerializer(many=True)


class ChecksSerializer(serializers.Serializer):
    """Whether anything speaks against a draft."""

    findings = FindingChangesSerializer()
    diff = serializers.DictField(child=serializers.IntegerField())
    tests = RoutingTestResultSerializer(many=True)
    passed = serializers.BooleanField(
        help_text=gettext_lazy(
            "Whether no conversation that a route names gets worse, no error is new, and each routing test passes."
        )
    )


class ChangeDiff(ApiView):
    """The comparison of the base of a draft with the draft."""

    @extend_schema(
        operation_id="change_diff",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Compare conversations"),
        description=gettext_lazy(
            "All classes of conversations that end otherwise with the edits of the draft, as `brokerui diff` gives "
            "them. `messages` are those of the newest result of the pipeline; null where none is loaded."
        ),
        parameters=[openapi.NUMBER, DiffQuery],
        responses={200: DiffSerializer, **openapi.problems(openapi.READ_STATUSES)},
    )
    def get(self, request: Request, number: str) -> StreamingHttpResponse:
        """Return one JSON object, a piece at a time."""
        limit = read_query(request, DiffQuery)["limit"]
        draft = draft_found(number)
        return streamed_report(change_of(draft), limit, version=base_version_of(draft))


class ChangeChecks(ApiView):
    """Checks that speak against a draft."""

    @extend_schema(
        operation_id="change_checks",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Check"),
        description=gettext_lazy(
            "The findings that the draft brings and mends, and how many classes of conversations get worse, better or "
            "end elsewhere. `tests` are the results of all files in `routing-tests/` on the estate with the edits."
        ),
        parameters=[openapi.NUMBER],
        responses={200: ChecksSerializer, **openapi.problems(openapi.READ_STATUSES)},
    )
    def get(self, request: Request, number: str) -> Response:
        """Return findings and counts."""
        read_query(request, NoQuery)
        draft = draft_found(number)
        findings = finding_changes(draft)
        if findings is None:
            raise ApiProblem(503, _("A worker is still looking for findings in this draft. Ask again in a moment."))
        effect, job = effect_shown(change_of(draft), timezone.now(), effects.QUICK_S)
        if not effect.is_settled:
            raise _unfinished(job, *progress_of(effect, job))
        tests = kept_results(draft_estate(draft).estate, timezone.now())
        passed = not effect.ends.counts[WORSE] and not findings.new_errors and all(one.passed for one in tests)
        return Response(
            {
                "findings": _findings(findings),
                "diff": effect.ends.summary(),
                "tests": list(map(result_as_json, tests)),
                "passed": passed,
            }
        )


def streamed_report(change: Change, limit: int, **more: object) -> StreamingHttpResponse:
    """Return the complete comparison of a change, a piece at a time. Raises `ApiProblem` until it is known."""
    try:
        pieces = report_of(change, timezone.now(), limit, **more)
    except ReportUnfinishedError as unfinished:
        job = unfinished.job
        raise _unfinished(job, job.done, job.total) from None
    return StreamingHttpResponse(pieces, content_type="application/json")


def _unfinished(job: Job | None, done: int, total: int) -> ApiProblem:
    """Return the problem that says how far the comparison is."""
    if job is not None and not job.is_open:
        words = _("The background job that compares the conversations was cancelled or failed. Try it again.")
        return ApiProblem(503, f"{words} {job.error}".strip())
    if job is not None and job.is_late(LATE):
        words = _("No worker has begun to compare the conversations. Ask again once one runs.")
        return ApiProblem(503, words, wait=RETRY_AFTER_S)
    words = _("A worker compares the conversations: {done} of {total} targets. Ask again in a moment.")
    words = words.format(done=done, total=total)
    return ApiProblem(503, words, wait=RETRY_AFTER_S, done=done, total=total)


def _findings(changes: FindingChanges) -> dict[str, Any]:
    return {"new": list(map(_finding, changes.new)), "gone": list(map(_finding, changes.gone))}


def _finding(finding: StoredFinding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "instance": finding.instance,
        "database": finding.database,
        "object": finding.object,
        "reason": finding.reason.render(translate),
        "remedy_sql": finding.remedy_sql,
        "file": None,
        "line": None,
    }
