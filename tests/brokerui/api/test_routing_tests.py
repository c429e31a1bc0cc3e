"""Files of routing tests over REST, their results in the checks of a draft, and the certificate of a draft."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.effect import effect
from brokerui.analysis.routing_tests import services
from brokerui.api import change_certificate
from brokerui.cli.main import main
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from tests.brokerui.api.helpers import API, change, send
from tests.brokerui.api.test_change_effect import CHANGES, body_of

FILES = f"{API}/routing-tests/"
FILE = f"{FILES}stock.yaml"
TEXT = "tests:\n- {name: reserved, from: shop/Orders, to: //example/stock/Reserve, must: delivered}\n"
DROP = {"edit": "drop_route", "instance": "shop", "database": "Orders", "name": "ReserveRoute"}
pytestmark = pytest.mark.django_db


def put(client: Client, text: str = TEXT, path: str = f"{FILE}/", **headers: str) -> Any:
    return send(client, "put", path, {"text": text}, **headers)


def test_a_file_is_kept_replaced_and_deleted(editor: Client, viewer: Client) -> None:
    made = put(editor)
    assert (made.status_code, made.json()["tests"], made.json()["text"]) == (201, 1, TEXT)
    read = viewer.get(f"{FILE}/")
    assert (read.json(), read.headers["ETag"]) == (made.json(), made.headers["ETag"])
    assert viewer.get(f"{FILE}/", headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    assert put(editor).status_code == 428
    replaced = put(editor, "tests: []", If_Match=read.headers["ETag"])
    assert (replaced.status_code, replaced.json()["tests"]) == (200, 0)
    assert put(editor, If_Match=read.headers["ETag"]).status_code == 412
    listed = viewer.get(FILES).json()
    assert [(row["name"], row["author"], "text" in row) for row in listed["results"]] == [
        ("stock.yaml", replaced.json()["author"], False)
    ]
    assert change(editor, "delete", f"{FILE}/").status_code == 204
    assert (viewer.get(f"{FILE}/").status_code, viewer.get(FILES).json()["count"]) == (404, 0)


def test_another_writer_between_reading_and_writing_is_seen(editor: Client) -> None:
    first = services.routing_tests_write(name="a", text="tests: []", seen="", author="x")
    services.routing_tests_write(name="a", text=TEXT, seen=first.digest, author="y")
    for seen in (first.digest, ""):
        with pytest.raises(services.KeptFileChangedError):
            services.routing_tests_write(name="a", text="tests: []", seen=seen, author="x")
    with pytest.raises(services.KeptFileChangedError):
        services.routing_tests_delete(name="a", seen=first.digest, author="x")
    with pytest.raises(services.KeptFileNotFoundError):
        services.routing_tests_delete(name="b", seen="", author="x")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("stock.yaml", "tests:\n- {name: a}", "text: line 2: $.tests[0].to: is missing"),
        ("stock.yaml", "a: [*x]", "text: line 1: has an anchor or an alias"),
        ("stock.yaml", "", "text: line 1: is empty"),
        ("-x", "tests: []", "name: must be letters"),
        ("x" * 81, "tests: []", "name: must be letters"),
        ("a%20b", "tests: []", "name: must be letters"),
    ],
)
def test_what_is_refused_is_named_and_nothing_is_kept(editor: Client, name: str, text: str, says: str) -> None:
    refused = put(editor, text, f"{FILES}{name}/")
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith(says)
    assert editor.get(FILES).json()["count"] == 0


def test_files_are_bounded_in_number_and_size(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_FILES", 1)
    monkeypatch.setattr(services, "MOST_BYTES", 20)
    assert "would be larger than 20 bytes" in put(editor).json()["detail"]
    assert put(editor, "tests: []").status_code == 201
    assert "1 files are kept already" in put(editor, "tests: []", f"{FILES}b/").json()["detail"]


# ---------------------------------------------------------------- a draft


@pytest.fixture
def draft(editor: Client) -> str:
    """A draft of the example without the route to the stock, and a test that fails by it."""
    estate_import(estate=scenario_get("three-servers"), author="import")
    assert put(editor).status_code == 201
    made = send(editor, "post", CHANGES, {"name": "Drop", "edits": [DROP]})
    return str(made.headers["Location"])


def test_the_checks_of_a_draft_judge_each_test(
    editor: Client, viewer: Client, draft: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effect, "QUICK_S", 60.0)
    checks = body_of(viewer.get(f"{draft}checks/"))
    assert checks["tests"] == [
        {
            "file": "stock.yaml",
            "name": "reserved",
            "passed": False,
            "got": [{"outcome": "delayed", "instance": "shop", "reason": "service_not_found"}],
            "why": ["must be delivered, got delayed shop service_not_found"],
            "line": 2,
        }
    ]
    assert checks["passed"] is False
    harmless = send(editor, "post", CHANGES, {"name": "Nothing", "edits": []}).headers["Location"]
    checks = body_of(viewer.get(f"{harmless}checks/"))
    assert ([one["passed"] for one in checks["tests"]], checks["passed"]) == ([True], True)


def test_the_certificate_of_a_draft_holds(
    viewer: Client, draft: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version = viewer.get(draft).json()["base_version"]
    paths = {"c": f"{draft}certificate/", "b": f"{API}/estate/?as_of={version}", "a": f"{draft}estate/"}
    for name, path in paths.items():
        answer = viewer.get(path)
        (tmp_path / name).write_bytes(answer.getvalue() if answer.streaming else answer.content)
    assert json.loads((tmp_path / "c").read_text())["summary"]["worse"] > 0
    assert main(["verify-certificate", *(str(tmp_path / name) for name in "cba")]) == 0
    assert "The certificate holds" in capsys.readouterr().out


def test_a_change_that_touches_too_much_says_so(viewer: Client, draft: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(before: Any, after: Any, at: Any, **limits: int) -> str:
        return change_certificate_written(before, after, at, most_listed=0, most_evaluated=1)

    change_certificate_written = change_certificate.write_certificate
    monkeypatch.setattr(change_certificate, "write_certificate", refusing)
    refused = viewer.get(f"{draft}certificate/")
    assert refused.status_code == 409
    assert "a certificate lists 1 at the most" in refused.json()["detail"]
