"""`brokerui estate import`: files into the live estate, from a terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from brokerui.analysis.imports.models import Origin
from brokerui.cli.main import main
from brokerui.estate.models import Version
from brokerui.estate.selectors import estate_current, live_version
from tests.brokerui.analysis.imports.helpers import DEPOT, SHOP
from tests.brokerui.cli.command_line import Call, call_with, misused, refused, written
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.brokerui.site import document
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def test_scripts_become_the_next_version(call: Call, tmp_path: Path) -> None:
    shop, depot = written(tmp_path, "s.sql", SHOP.encode()), written(tmp_path, "d.sql", DEPOT.encode())
    answer = call("estate", "import", f"shop={shop}", f"depot={depot}", "--author", "me", "--note", "first")
    assert answer.status == 0
    assert "16 new, 0 changed, 0 removed." in answer.out
    assert "  + routes Orders/ToParts\n" in answer.out
    assert answer.out.endswith("\nApplied as version 1.\n")
    version = Version.objects.get()
    assert (version.author, version.note) == ("me", "first")
    assert Origin.objects.get(instance="shop").file == "s.sql"


def test_a_dry_run_says_the_same_and_writes_nothing(call: Call, tmp_path: Path) -> None:
    shop = written(tmp_path, "s.sql", SHOP.encode())
    dry = call("estate", "import", f"shop={shop}", "--dry-run")
    assert live_version() == 0
    assert call("estate", "import", f"shop={shop}").out.startswith(dry.out)
    assert "Nothing changes" in call("estate", "import", f"shop={shop}").out


@pytest.mark.parametrize(
    ("flags", "left"),
    [((), ["here", "there", "new"]), (("--into",), ["here", "there", "new"]), (("--replace",), ["new"])],
)
def test_a_document_replaces_its_servers_or_everything(
    call: Call, tmp_path: Path, flags: tuple[str, ...], left: list[str]
) -> None:
    brought_in(TWO)
    assert call("estate", "import", written(tmp_path, "e.json", document("new")), *flags).status == 0
    assert list(estate_current().estate.instances) == left


def test_it_says_which_conversations_end_otherwise(call: Call, tmp_path: Path) -> None:
    brought_in(TWO)
    sql = written(tmp_path, "x.sql", b"USE Orders; DROP ROUTE AutoCreatedLocal; DROP ROUTE R;")
    answer = call("estate", "import", f"here={sql}", "--into")
    assert "0 new, 0 changed, 2 removed." in answer.out
    assert "kinds of conversation get worse" in answer.out
    assert "\n  worse: Orders on here → Own, " in answer.out


def test_a_statement_that_is_not_understood_is_exit_1_but_written(call: Call, tmp_path: Path) -> None:
    sql = written(tmp_path, "x.sql", (SHOP + "CREATE ROUTE Bad WITH ADDRESS = @x;").encode())
    answer = call("estate", "import", f"shop={sql}", "--format", "json")
    assert answer.status == 1
    assert live_version() == 1
    assert "value-not-literal" in {finding["code"] for finding in json.loads(answer.err)}


def test_bad_input_is_one_line_and_nothing_is_written(call: Call, tmp_path: Path) -> None:
    bad = written(tmp_path, "e.json", b'{"format": "x"}')
    assert "$.format" in refused(call("estate", "import", bad))
    assert live_version() == 0


def test_bad_usage(call: Call) -> None:
    assert "required" in misused(call("estate", "import"))
    assert "NAME=FILE" in misused(call("estate", "import", "a="))
    assert "not allowed" in misused(call("estate", "import", "e.json", "--into", "--replace"))


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_nothing_is_applied_where_the_preview_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: str
) -> None:
    script = written(tmp_path, "s.sql", SHOP.encode() + b"\nCREATE ROUTE z WITH ADDRESS = @z\nGO\n")
    with monkeypatch.context() as patch, Path("/dev/full").open("w", encoding="utf-8") as full:
        patch.setattr(sys, stream, full)
        assert main(["estate", "import", f"shop={script}"]) == 4
    assert live_version() == 0
