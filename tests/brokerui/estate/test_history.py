"""`brokerui estate history`: every version as a document that sorts, says since when it holds, and can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import OperationalError

from brokerui.cli.main import main
from brokerui.estate import history
from brokerui.estate.history import history_write
from brokerui.estate.models import Version
from brokerui.estate.selectors import estate_as_of
from routing.common.errors import InputError
from routing.documents.estate_document import read_version, write_estate
from routing.model.edits import SetHopLimit
from tests.brokerui.estate.helpers import TWO, brought_in, changed
from tests.brokerui.product import command
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]


def test_each_version_is_a_document_with_its_moment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    brought_in(TWO)
    changed(SetHopLimit(3))
    folder = tmp_path / "new" / "history"
    assert main(["estate", "history", "-o", str(folder)]) == 0
    assert capsys.readouterr() == ("", f"2 versions in {folder}\n")
    files = sorted(folder.iterdir())
    assert [path.name for path in files] == ["version-000001.json", "version-000002.json"]
    for path, version in zip(files, Version.objects.order_by("number"), strict=True):
        moment, estate = read_version(path.read_bytes())
        assert moment == version.created_at
        assert write_estate(estate) == write_estate(estate_as_of(version=version.number).estate)


def test_without_versions_the_folder_is_empty(tmp_path: Path) -> None:
    assert history_write(tmp_path) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_history_is_brought_up_to_date(tmp_path: Path) -> None:
    brought_in(TWO)
    history_write(tmp_path)
    (tmp_path / "version-000009.json").write_text("from elsewhere")
    (tmp_path / "version-000001.json.part").write_text("from a run that was killed")
    changed(SetHopLimit(3))
    assert history_write(tmp_path) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["version-000001.json", "version-000002.json"]


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    brought_in(TWO)
    (tmp_path / "mine.json").write_text("{}")
    assert main(["estate", "history", "-o", str(tmp_path)]) == 4
    assert capsys.readouterr().err == f"error: {tmp_path}: holds mine.json, which is not of a history\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]


def test_a_folder_that_cannot_be_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        history_write(tmp_path / "file")


@pytest.mark.parametrize("arguments", [[], ["history"], ["history", "-o"], ["futures"]])
def test_bad_usage_exits_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["estate", *arguments])
    assert caught.value.code == 2


@pytest.mark.django_db
def test_a_database_that_cannot_be_read_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(folder: Path) -> int:
        raise OperationalError("no such table: estate_version")

    monkeypatch.setattr(history, "history_write", fail)
    assert main(["estate", "history", "-o", str(tmp_path)]) == 4
    assert capsys.readouterr().err == "error: the database: cannot be read or written: no such table: estate_version\n"


def test_a_home_that_the_product_was_never_started_with_is_told(tmp_path: Path) -> None:
    ended = command(tmp_path, "estate", "history", "-o", str(tmp_path / "out"))
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr == "error: the database: is not prepared yet: start the product with this home once\n"
