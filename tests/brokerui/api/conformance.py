"""Requests whose responses are checked against the OpenAPI description, for tests with real rows and messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from brokerui.accounts.levels import Role
from brokerui.accounts.services import token_create
from brokerui.api.schema import schema
from brokerui.wsgi import application
from tests.brokerui.api.limits import resolved
from tests.brokerui.site import user_of

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class CheckedClient:
    """Sends requests by operation; each response has to be as the description says, without members beyond it."""

    def __init__(self, role: Role = Role.ADMINISTRATOR) -> None:
        self.document = schema()
        self.described: Any = schemathesis.openapi.from_dict(self.document)
        self.described.app = application
        self.headers = {"Authorization": f"Bearer {token_create(user=user_of(role), name='checked')[1]}"}
        self.operations = {
            operation["operationId"]: (path, method)
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
        }

    def ask(self, operation_id: str, status: int = 200, *, body: Any = None, headers: Any = None, **more: Any) -> Any:
        """The JSON of the response, which has this status."""
        path, method = self.operations[operation_id]
        sent: dict[str, Any] = {} if body is None else {"body": body, "media_type": "application/json"}
        case = self.described[path][method.upper()].Case(**sent, **more)
        response = case.call_and_validate(checks=CHECKS, headers={**self.headers, **(headers or {})})
        assert response.status_code == status, (operation_id, response.text[:500])
        if status in (204, 304):
            return None
        found = response.json()
        answers = self.document["paths"][path][method]["responses"][str(status)]["content"]
        assert list(undescribed(self.document, next(iter(answers.values()))["schema"], found)) == []
        return found


def undescribed(document: dict[str, Any], schema: dict[str, Any], value: Any, path: str = "") -> Iterator[str]:
    """The members that a value has and its schema does not."""
    schema = resolved(document, schema)
    if isinstance(value, list):
        for index, member in enumerate(value):
            yield from undescribed(document, schema["items"], member, f"{path}[{index}]")
    elif isinstance(value, dict) and "properties" in schema:
        for name, member in value.items():
            if name not in schema["properties"]:
                yield f"{path}.{name}"
            else:
                yield from undescribed(document, schema["properties"][name], member, f"{path}.{name}")
