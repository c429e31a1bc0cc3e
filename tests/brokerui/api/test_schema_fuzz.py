"""What the schema says holds for whatever is sent: no fault of ours, and answers as it tells them."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from rest_framework.settings import api_settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from brokerui.accounts.levels import Role
from brokerui.accounts.services import token_create
from brokerui.api.ids import id_of
from brokerui.api.schema import schema
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.wsgi import application
from tests.brokerui.api.helpers import ROWS
from tests.brokerui.site import nothing_shown, reader_of_bodies
from tests.extent import IS_ALL

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("shared_small", "nothing_shown")]

EXAMPLES = 100 if IS_ALL else 3
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
REFUSED = [str(status) for status in (400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 414, 415, 422, 428)]
"""Statuses of the answer to an invalid request; never a fault of ours."""
TOLD = schema()
OPERATIONS = [(path, method) for path, methods in TOLD["paths"].items() for method in methods]


@pytest.fixture(scope="module")
def described() -> Any:
    """The schema as Schemathesis reads it. Constants that it finds in the product's source are kept with it."""
    read: Any = schemathesis.openapi.from_dict(TOLD)
    read.app = application
    read.config.checks.negative_data_rejection.expected_statuses = REFUSED
    return read


@pytest.fixture
def token(monkeypatch: Any) -> str:
    """The token of an administrator who may read bodies, without a rate limit."""
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": None, "user": None})
    return token_create(user=reader_of_bodies(Role.ADMINISTRATOR), name="fuzz")[1]


MODES = {GenerationMode.POSITIVE: "right", GenerationMode.NEGATIVE: "wrong"}
OTHER_MODE = pytest.mark.thorough("The next operation gets it; test_limits.py sends wrong bodies to each of them.")


@pytest.mark.parametrize(
    ("path", "method", "mode"),
    [
        pytest.param(*operation, mode, marks=OTHER_MODE if turn % 2 else ())
        for number, operation in enumerate(OPERATIONS)
        for turn, mode in enumerate(MODES, number)
    ],
    ids=lambda part: MODES.get(part) or str(part).removeprefix("/api/v1/"),
)
def test_whatever_is_sent_is_answered_as_the_schema_says(
    path: str, method: str, mode: GenerationMode, described: Any, token: str
) -> None:
    headers = {"Authorization": f"Bearer {token}"}

    @seed(1)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=described[path][method].as_strategy(generation_mode=mode), is_there=st.booleans())
    def ask(case: Any, is_there: bool) -> None:
        if is_there and "id" in case.path_parameters:
            # By itself it would never find one.
            case.path_parameters["id"] = id_of(ROWS[path.split("/")[3]])
            case.headers["If-Match"] = "*"
        if is_there and mode is GenerationMode.POSITIVE and "/changes/{number}/" in path:
            draft = SavedDraft.objects.first() or draft_create(name="x", author="x")
            case.path_parameters["number"] = draft.id
            case.headers["If-Match"] = "*"
        if path.endswith("/import/"):
            # A stale one would be refused before the document is read.
            case.headers.pop("If-Match", None)
        case.call_and_validate(checks=CHECKS, headers=headers)

    ask()
