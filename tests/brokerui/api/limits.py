"""Requests just over, and at, each limit of the OpenAPI description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from tests.extent import IS_ALL

Path = tuple[str | int, ...]
UUID, MOMENT = "6f3f0d5e-0000-4000-8000-00000000000f", "2030-01-31T12:00:00Z"
KNOWN = frozenset(
    (
        *("type", "enum", "format", "contentEncoding", "maxLength", "minLength", "maximum", "minimum"),
        *("properties", "required", "additionalProperties", "items", "maxItems", "minItems"),
        *("description", "default", "examples", "readOnly", "oneOf", "allOf", "$ref"),
    )
)
"""Keywords that this module tests, or that limit nothing. Another one has to be added here with its requests."""
REASONS = {
    "type": r"must be (a string|a whole number|true or false|an array|an object|one of|either|base64)",
    "required": r"is missing",
    "additionalProperties": r"has the unknown key|is no field of this form",
    "unknown": r"there is no such parameter",
    "twice": r"stands twice",
    "enum": r"must be one of",
    "format": r"must be a (GUID|date and time)",
    "contentEncoding": r"must be base64",
    "maxLength": r"is longer than",
    "minLength": r"must not be empty",
    "maximum": r"must be a whole number from",
    "minimum": r"must be a whole number from",
    "maxItems": r"is one too many|must have 1 to",
    "minItems": r"must have 1 to",
}
REASONS["null"] = REASONS["type"]
"""The sentence about a value beyond a limit, by the keyword of the limit."""
UNCHANGEABLE = re.compile(r"cannot be changed")
REFUSED_BY_THE_VERB = frozenset((8411, 8419))
MISSING = object()


@dataclass(frozen=True, slots=True)
class Case:
    """A limit, with a value just over it and one at it."""

    path: Path
    keyword: str
    over: Any
    at: Any = MISSING

    @property
    def where(self) -> str:
        """The path as problem documents have it."""
        text = ""
        for part in self.path:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
        return text


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema behind references; `null` beside it becomes one of its types."""
    for choices in (schema.get("oneOf"), schema.get("allOf")):
        if choices:
            found = [resolved(document, one) for one in choices]
            [real] = [one for one in found if one.get("type") != "null" and one.get("enum") != [None]]
            is_nullable = len(found) > 1
            return real | ({"type": [real.get("type", "string"), "null"]} if is_nullable else {})
    if "$ref" in schema:
        return resolved(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    assert schema.keys() <= KNOWN, f"nobody tests {schema.keys() - KNOWN}"
    return schema


def sample(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A small value that the schema allows."""
    schema = resolved(document, schema)
    kind = kinds_of(schema)[0]
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return {name: sample(document, schema["properties"][name]) for name in schema.get("required", ())}
    if kind == "array":
        return [sample(document, schema["items"])]
    if kind == "string":
        return {"uuid": UUID, "date-time": MOMENT}.get(schema.get("format", ""), "x")
    return {"integer": schema.get("minimum", 1), "boolean": True}[kind]


def kinds_of(schema: dict[str, Any]) -> list[str]:
    kinds = schema.get("type", "string" if "enum" in schema else "object")
    return [kinds] if isinstance(kinds, str) else list(kinds)


def cases(document: dict[str, Any], schema: dict[str, Any], path: Path = ()) -> Iterator[Case]:
    """Yield every limit of a value and of its members."""
    schema = resolved(document, schema)
    kinds = kinds_of(schema)
    yield Case(path, "type", {} if "array" in kinds else [])
    if "null" not in kinds and path:
        yield Case(path, "null", None)
    if "enum" in schema:
        words = [word for word in schema["enum"] if word is not None]
        yield from (Case(path, "enum", "no such word", word) for word in (words if IS_ALL else words[:1]))
    elif "object" in kinds:
        yield from _of_object(document, schema, path)
    elif "array" in kinds:
        yield from _of_array(document, schema, path)
    elif "string" in kinds:
        yield from _of_string(schema, path)
    elif "integer" in kinds:
        yield from _of_integer(schema, path)


def _of_object(document: dict[str, Any], schema: dict[str, Any], path: Path) -> Iterator[Case]:
    if schema.get("additionalProperties") is False:
        yield Case((*path, "no_such_key"), "additionalProperties", 1)
    for name in schema.get("required", ()):
        yield Case((*path, name), "required", MISSING)
    for name, member in schema.get("properties", {}).items():
        yield from cases(document, member, (*path, name))


def _of_array(document: dict[str, Any], schema: dict[str, Any], path: Path) -> Iterator[Case]:
    one = sample(document, schema["items"])
    if "maxItems" in schema:
        yield Case(path, "maxItems", [one] * (schema["maxItems"] + 1), [one] * schema["maxItems"])
    if "minItems" in schema:
        yield Case(path, "minItems", [one] * (schema["minItems"] - 1), [one] * schema["minItems"])
    yield from cases(document, schema["items"], (*path, 0))


def _of_string(schema: dict[str, Any], path: Path) -> Iterator[Case]:
    if "maxLength" in schema:
        most = schema["maxLength"]
        yield Case(path, "maxLength", _text(path, most + 1), _text(path, most))
    if "minLength" in schema:
        yield Case(path, "minLength", "x" * (schema["minLength"] - 1), "x" * schema["minLength"])
    if schema.get("format") in ("uuid", "date-time"):
        yield Case(path, "format", "neither", UUID if schema["format"] == "uuid" else MOMENT)
    if schema.get("contentEncoding") == "base64":
        yield Case(path, "contentEncoding", "no base64", "MQ==")


def _text(path: Path, length: int) -> str:
    if any("address" in str(part) for part in path):
        return f"tcp://{'x' * (length - 8)}:1"
    return "x" * length


def _of_integer(schema: dict[str, Any], path: Path) -> Iterator[Case]:
    if "maximum" in schema:
        yield Case(path, "maximum", schema["maximum"] + 1, schema["maximum"])
    if "minimum" in schema:
        yield Case(path, "minimum", schema["minimum"] - 1, schema["minimum"])


def with_value(document: dict[str, Any], schema: dict[str, Any], body: Any, path: Path, value: Any) -> Any:
    """Return the body with a value at this path, creating the objects and lists on the way to it."""
    if not path:
        return value
    schema = resolved(document, schema)
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        items = list(body) or [sample(document, schema["items"])]
        return [with_value(document, schema["items"], items[0], rest, value), *items[1:]]
    found = deepcopy(body)
    if not rest and value is MISSING:
        found.pop(first, None)
        return found
    member = schema["properties"].get(first, {})
    inner = found.get(first) if found.get(first) is not None or not rest else sample(document, member)
    found[first] = with_value(document, member, inner, rest, value)
    return found


def is_refused(response: Any, case: Case, place: str) -> bool:
    """Whether the answer is a problem that names the value and says which limit it is beyond."""
    assert 400 <= response.status_code < 500, (case, response.status_code, response.content[:300])
    assert response.headers["Content-Type"] == "application/problem+json", case
    problem = response.json()
    if problem.get("number") in REFUSED_BY_THE_VERB:
        return True
    [error] = problem["errors"]
    where = case.where.removesuffix("no_such_key").removesuffix(".") if place == "body" else case.where
    assert error["in"] == place, (case, problem)
    assert error["name"].startswith(where), (case, problem)
    return bool(re.search(REASONS[case.keyword], error["detail"]) or UNCHANGEABLE.search(error["detail"]))


def is_taken(response: Any, case: Case) -> bool:
    """Whether the limit is no reason to refuse the value; there may be others."""
    if response.status_code < 400:
        return True
    assert response.status_code < 500 or response.json()["code"] in ("away", "being_read"), response.content[:300]
    problem = response.json()
    details = [error["detail"] for error in problem.get("errors", ())] or [problem["detail"]]
    return problem.get("number") not in REFUSED_BY_THE_VERB and not re.search(REASONS[case.keyword], details[0])
