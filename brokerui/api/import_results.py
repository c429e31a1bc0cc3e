"""An import in the REST interface: its progress, its result, its problem."""

from __future__ import annotations

import json
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from brokerui.analysis.imports.answer import Json, localized
from brokerui.analysis.imports.models import ImportRun, ImportState
from brokerui.analysis.imports.presenter import sentence
from brokerui.analysis.imports.sources import Mode
from brokerui.api.bodies import ProblemSerializer
from brokerui.core.problems import KINDS, problem

FAILURE_STATUS: Final = {"": 422, "conflict": 409, "server_error": 500}
"""By error code of an import: the status of its problem."""


class CountsSerializer(serializers.Serializer):
    """How much the estate holds now."""

    instances = serializers.IntegerField(min_value=0)
    databases = serializers.IntegerField(min_value=0)
    services = serializers.IntegerField(min_value=0)
    queues = serializers.IntegerField(min_value=0)
    routes = serializers.IntegerField(min_value=0)


class ChangesSerializer(serializers.Serializer):
    """Rows that differ."""

    added = serializers.IntegerField(min_value=0)
    changed = serializers.IntegerField(min_value=0)
    removed = serializers.IntegerField(min_value=0)


class FindingSerializer(serializers.Serializer):
    """A finding: the object, its fault, and the statement that mends it."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(["error", "warning", "info"])
    instance = serializers.CharField(allow_null=True)
    database = serializers.CharField(allow_null=True)
    object = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    remedy_sql = serializers.CharField(allow_null=True)
    file = serializers.CharField(allow_null=True)
    line = serializers.IntegerField(allow_null=True)


class ImportedSerializer(serializers.Serializer):
    """The result."""

    version = serializers.IntegerField(
        min_value=0, help_text=gettext_lazy("The one before, where nothing changed or was written.")
    )
    dry_run = serializers.BooleanField()
    mode = serializers.ChoiceField(
        [mode.value for mode in Mode],
        help_text=gettext_lazy("What the import did to the estate, also if the request named no mode."),
    )
    complete = serializers.BooleanField(help_text=gettext_lazy("Whether every statement was applied."))
    counts = CountsSerializer()
    changes = ChangesSerializer()
    findings = FindingSerializer(many=True, help_text=gettext_lazy("The first 1,000."))
    findings_total = serializers.IntegerField(min_value=0)


class ImportRunSerializer(serializers.Serializer):
    """An import that takes longer than a request."""

    id = serializers.IntegerField(min_value=1)
    state = serializers.ChoiceField(["waiting", "working", "done", "failed", "discarded", "open"])
    phase = serializers.CharField(allow_blank=True, help_text=gettext_lazy("The step that the job is at."))
    done = serializers.IntegerField(min_value=0)
    total = serializers.IntegerField(min_value=0, help_text=gettext_lazy("Steps of the phase; 0: not known."))
    author = serializers.CharField()
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    dry_run = serializers.BooleanField()
    result = ImportedSerializer(allow_null=True)
    problem = ProblemSerializer(allow_null=True)


def run_as_json(run: ImportRun) -> Json:
    """Return the state, the progress and the result of an import."""
    return {
        "id": run.pk,
        "state": _state(run),
        "phase": run.phase,
        "done": run.done,
        "total": run.total,
        "author": run.author,
        "created_at": run.created_at,
        "ended_at": run.ended_at,
        "dry_run": run.dry_run,
        "result": localized(json.loads(run.answer)) if run.answer else None,
        "problem": problem_of(run) if run.state == ImportState.FAILED else None,
    }


def _state(run: ImportRun) -> str:
    match run.state:
        case ImportState.READING | ImportState.APPLYING:
            return "working" if run.is_claimed else "waiting"
        case ImportState.UPLOADED | ImportState.PREVIEWED:
            return "open"
        case ImportState.DISCARDED:
            return "done" if run.answer else "discarded"
        case ImportState.APPLIED:
            return "done"
    return "failed"


def problem_of(run: ImportRun) -> dict[str, Any]:
    """Return the problem document that the request would have been answered with."""
    status = FAILURE_STATUS[run.error_code]
    reason = sentence(json.loads(run.error)).render(_)
    if run.error_code:
        return problem(status=status, detail=reason, code=KINDS[status][0])
    error = {"in": "file", "name": run.error_where, "path": run.error_path, "detail": reason}
    place = ": ".join(part for part in (run.error_where, run.error_path) if part)
    return problem(status=status, detail=f"{place}: {reason}" if place else reason, errors=[error])
