"""`routing-tests/`: the files of routing tests that are kept for the live estate."""

from __future__ import annotations

from typing import Any, Final

from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.routing_tests.errors import KeptFileChangedError, KeptFileNotFoundError
from brokerui.analysis.routing_tests.models import KeptTestFile
from brokerui.analysis.routing_tests.selectors import KeptTestResult, kept_file, kept_files
from brokerui.analysis.routing_tests.services import (
    NAME_PATTERN,
    routing_tests_delete,
    routing_tests_write,
)
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of
from brokerui.api.etags import etag_of, etag_of_json, is_known, require_match
from brokerui.api.fields import TextField
from brokerui.api.problems import ApiProblem, at_path, in_body
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query
from brokerui.core.templatetags.wording import translate
from routing.common.errors import InputError, Invalid

EXAMPLE: Final = OpenApiExample(
    "tests",
    value={
        "text": "tests:\n- name: parts arrive\n  from: host1/Orders\n  to: OrderParts\n  must: delivered host2/Parts\n"
    },
    request_only=True,
)
FILE_NAME: Final = OpenApiParameter(
    "name",
    {"type": "string", "pattern": f"^{NAME_PATTERN}$"},
    OpenApiParameter.PATH,
    description=gettext_lazy("The name of the file, as in orders.yaml."),
)
_TAG: Final = gettext_lazy("Routing tests")


class KeptTextSerializer(StrictSerializer):
    """The text of a file of routing tests."""

    text = TextField(help_text=gettext_lazy("YAML: docs/how-to/routing-tests.md."))


class KeptRowSerializer(serializers.Serializer):
    """A file of routing tests, in the list."""

    name = serializers.CharField()
    tests = serializers.IntegerField(min_value=0, help_text=gettext_lazy("The number of its tests."))
    size = serializers.IntegerField(min_value=0, help_text=gettext_lazy("Bytes."))
    author = serializers.CharField(help_text=gettext_lazy("The user who changed it last."))
    changed_at = serializers.DateTimeField()


class KeptFileSerializer(KeptRowSerializer):
    """A file of routing tests."""

    text = serializers.CharField()


class RoutingTestResultSerializer(serializers.Serializer):
    """The result of one routing test."""

    file = serializers.CharField()
    name = serializers.CharField()
    passed = serializers.BooleanField()
    got = serializers.ListField(
        child=serializers.DictField(), help_text=gettext_lazy("All outcomes of its conversation.")
    )
    why = serializers.ListField(
        child=serializers.CharField(), help_text=gettext_lazy("Why it fails; empty for a test that passes.")
    )
    line = serializers.IntegerField(min_value=1)


class RoutingTestFiles(ApiView):
    """All files."""

    @extend_schema(
        operation_id="routing_tests_list",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("List"),
        description=gettext_lazy("The files of routing tests that are kept for the live estate, by name."),
        **openapi.conditional_get(page_of(KeptRowSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Return all of them: there are at most a hundred."""
        read_query(request, NoQuery)
        files = kept_files()
        etag = etag_of_json([[file.name, file.digest] for file in files])
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        body = {"count": len(files), "next": None, "results": [_row(file) for file in files]}
        return Response(body, headers={"ETag": etag})


class RoutingTestFileDetail(ApiView):
    """One file."""

    @extend_schema(
        operation_id="routing_tests_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("A file of routing tests as its author wrote it."),
        **openapi.conditional_get(KeptFileSerializer, parameters=[FILE_NAME]),
    )
    def get(self, request: Request, name: str) -> Response:
        """Return its text."""
        read_query(request, NoQuery)
        file = _found(name)
        etag = _etag(file)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return _response(file)

    @extend_schema(
        operation_id="routing_tests_write",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Add or replace one"),
        description=gettext_lazy(
            "Keeps the tests, which each review of a draft then judges. 422 names the line of the first error, and "
            "nothing is written then. `If-Match` is needed to replace a file."
        ),
        request=KeptTextSerializer,
        examples=[EXAMPLE],
        parameters=[
            FILE_NAME,
            openapi.header("If-Match", gettext_lazy("The ETag of what you read; none for a new file.")),
            openapi.etag_header([200, 201]),
        ],
        responses={
            200: KeptFileSerializer,
            201: KeptFileSerializer,
            **openapi.problems((*openapi.WRITE_STATUSES, 412, 428)),
        },
    )
    def put(self, request: Request, name: str) -> Response:
        """Write it whole."""
        read_query(request, NoQuery)
        text = read_body(request.data, KeptTextSerializer)["text"]
        file = _find(name)
        if file is not None:
            require_match(request, _etag(file))
        written = _write(name, text, file.digest if file else "", request.user.get_username())
        return _response(written, status=200 if file else 201)

    @extend_schema(
        operation_id="routing_tests_delete",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Delete one"),
        description=gettext_lazy("Drafts are no longer judged by its tests."),
        parameters=[FILE_NAME, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, name: str) -> Response:
        """Delete it."""
        read_query(request, NoQuery)
        file = _found(name)
        require_match(request, _etag(file))
        try:
            routing_tests_delete(name=name, seen=file.digest, author=request.user.get_username())
        except KeptFileNotFoundError:
            raise _not_there() from None
        except KeptFileChangedError:
            raise _changed() from None
        return Response(status=204)


def addresses() -> list[URLPattern]:
    """Return the addresses of files of routing tests."""
    return [
        path("routing-tests/", RoutingTestFiles.as_view(), name="routing_tests"),
        path("routing-tests/<str:name>/", RoutingTestFileDetail.as_view(), name="routing_test_file"),
    ]


def result_as_json(result: KeptTestResult) -> dict[str, Any]:
    """Return the result of a test."""
    judgement = result.judgement
    return {
        "file": result.file,
        "name": judgement.test.name,
        "passed": result.passed,
        "got": [outcome.as_json() for outcome in judgement.got],
        "why": [fault.render(translate) for fault in judgement.faults],
        "line": result.line,
    }


def _find(name: str) -> KeptTestFile | None:
    try:
        return kept_file(name)
    except KeptFileNotFoundError:
        return None


def _found(name: str) -> KeptTestFile:
    file = _find(name)
    if file is None:
        raise _not_there()
    return file


def _not_there() -> ApiProblem:
    return ApiProblem(404, _("No file of routing tests has this name."))


def _changed() -> ApiProblem:
    return ApiProblem(412, _("It has changed since you read it. Read it again, then repeat the change."))


def _write(name: str, text: str, seen: str, author: str) -> KeptTestFile:
    try:
        return routing_tests_write(name=name, text=text, seen=seen, author=author)
    except InputError as error:
        place = f"text: {error.path}" if error.path else "text"
        raise at_path(place, error.problem.render(_)) from None
    except Invalid as fault:
        raise in_body(fault) from None
    except KeptFileChangedError:
        raise _changed() from None


def _etag(file: KeptTestFile) -> str:
    return etag_of(file.name, file.digest)


def _response(file: KeptTestFile, status: int = 200) -> Response:
    return Response(_row(file) | {"text": file.text}, status=status, headers={"ETag": _etag(file)})


def _row(file: KeptTestFile) -> dict[str, Any]:
    return {
        "name": file.name,
        "tests": file.test_count,
        "size": file.size,
        "author": file.author,
        "changed_at": file.changed_at,
    }
