"""The page `/api/v1/docs/`: every operation of the schema, each with a command to copy."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from brokerui.api.schema import schema

METHODS = ("get", "post", "put", "patch", "delete")
COMMON = ("scenario", "as_of", "draft", "If-None-Match", "If-Match", "limit", "cursor", "ordering", "note")
"""Parameters that mean the same everywhere; the page describes them once."""
SAMPLE = {
    "id": "ID",
    "number": "1",
    "handle": "HANDLE",
    "receipt": "RECEIPT",
    "instance": "host1",
    "database": "Orders",
    "queue": "dbo.OrderQueue",
}
"""By part of an address: its value in the commands."""


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter, or a member of a body."""

    name: str
    where: str
    """`query`, `path`, `header` or `body`."""
    kind: str
    says: SafeString
    required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, as the page shows it."""

    name: str
    method: str
    path: str
    summary: str
    description: list[SafeString]
    """Paragraphs of the description."""
    values: list[Value]
    common: list[str]
    """Names of the parameters that the page describes once."""
    statuses: list[tuple[str, str]]
    command: str


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """Operations that belong together."""

    name: str
    anchor: str
    operations: list[Operation]


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show every operation."""
    document = schema()
    operations = list(_operations(document, request.build_absolute_uri("/").rstrip("/")))
    groups = [
        OperationGroup(tag, slugify(tag, allow_unicode=True), [operation for _tag, operation in members])
        for tag, members in groupby(operations, key=lambda pair: pair[0])
    ]
    context = {"groups": groups, "common": _common(document), "first": _first(request), "count": len(operations)}
    return render(request, "api/docs.html", context)


def _operations(document: dict[str, Any], site: str) -> Iterator[tuple[str, Operation]]:
    """Return the operations with their groups, these in the order of their first operation."""
    found = [
        (path, method, members[method])
        for path, members in document["paths"].items()
        for method in METHODS
        if method in members
    ]
    tags = list(dict.fromkeys(operation["tags"][0] for _path, _method, operation in found))
    for path, method, operation in sorted(found, key=lambda each: tags.index(each[2]["tags"][0])):
        yield operation["tags"][0], _operation(document, site, path, method, operation)


def _operation(document: dict[str, Any], site: str, path: str, method: str, operation: dict[str, Any]) -> Operation:
    parameters = [_parameter(document, one) for one in operation.get("parameters", ())]
    own = [one for one in parameters if one.name not in COMMON]
    return Operation(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=[marked(part) for part in operation.get("description", "").split("\n\n") if part],
        values=own + list(_body(document, operation)),
        common=[one.name for one in parameters if one.name in COMMON],
        statuses=[(status, answer["description"]) for status, answer in sorted(operation["responses"].items())],
        command=_command(site, path, method, operation),
    )


def marked(text: str) -> SafeString:
    """Return a text with what stands between backticks as code."""
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in enumerate(text.split("`")))
    )


def _parameter(document: dict[str, Any], one: dict[str, Any]) -> Value:
    kind = _kind(document, one.get("schema", {}))
    return Value(one["name"], one["in"], kind, marked(one.get("description", "")), one.get("required", False))


def _body(document: dict[str, Any], operation: dict[str, Any]) -> Iterator[Value]:
    """Return the members of a JSON body."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return
    shape = _resolved(document, content["schema"])
    for name, member in shape.get("properties", {}).items():
        required = name in shape.get("required", ())
        yield Value(name, "body", _kind(document, member), marked(member.get("description", "")), required)


def _resolved(document: dict[str, Any], member: dict[str, Any]) -> dict[str, Any]:
    reference: str | None = member.get("$ref")
    return document["components"]["schemas"][reference.rpartition("/")[2]] if reference else member


def _kind(document: dict[str, Any], member: dict[str, Any]) -> str:
    """Return the type of a value in a word or two."""
    choices = member.get("oneOf") or member.get("allOf")
    if choices:
        return " | ".join(_kind(document, choice) for choice in choices)
    member = _resolved(document, member)
    if "enum" in member:
        return " | ".join("null" if value is None else str(value) for value in member["enum"])
    kind = member.get("type", "object")
    return " | ".join(kind) if isinstance(kind, list) else str(kind)


def _command(site: str, path: str, method: str, operation: dict[str, Any]) -> str:
    """Return the command line that does it, to copy."""
    for name, value in SAMPLE.items():
        path = path.replace(f"{{{name}}}", value)
    words = ["curl", *([] if method == "get" else ["-X", method.upper()]), "-H", "Authorization: Bearer TOKEN"]
    if any(one["name"] == "If-Match" and one.get("required") for one in operation.get("parameters", ())):
        words += ["-H", 'If-Match: "ETAG"']
    body = _example(operation)
    if body is not None:
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(body, ensure_ascii=False)]
    return shlex.join([*words, f"{site}{path}"])


def _example(operation: dict[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    examples = list(content.get("examples", {}).values())
    return examples[0]["value"] if examples else None


def _common(document: dict[str, Any]) -> list[Value]:
    """Return the parameters that the page describes once, in their order."""
    found: dict[str, Value] = {}
    for members in document["paths"].values():
        for operation in members.values():
            for one in operation.get("parameters", ()):
                if one["name"] in COMMON:
                    found.setdefault(one["name"], _parameter(document, one))
    return [found[name] for name in COMMON if name in found]


def _first(request: HttpRequest) -> str:
    url = request.build_absolute_uri("/api/v1/routes/?limit=5")
    return shlex.join(["curl", "-H", "Authorization: Bearer TOKEN", url])
