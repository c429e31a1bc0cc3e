"""`pipeline lake register`: tables come into the catalog of the session, or one line names the catalog or the library
that is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.delta.table import TableCommit
from pipeline.lake.tables import silver_log

REGISTER = "pipeline.jobs.lake_register"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake without rows, whose table is there."""
    place = tmp_path / "lake"
    (place / "_commits").mkdir(parents=True)
    silver_log(place).commit(TableCommit([]), None)
    return place


def outcome(lake: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["lake", "register", str(lake), *words])
    printed = capsys.readouterr()
    return status, printed.err or printed.out


def test_a_catalog_that_ends_with_the_session_is_refused(
    spark: SparkSession, lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, line = outcome(lake, capsys)
    assert (status, line.count("\n")) == (4, 1)
    assert line.startswith("error: Spark: its catalog ends with the session, so nothing was registered: name a lasting")
    assert not spark.catalog.databaseExists("brokerui")


def test_a_session_without_the_library_says_so_and_makes_no_schema(
    spark: SparkSession, lake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{REGISTER}._check_lasts", lambda _spark: None)
    status, line = outcome(lake, capsys)
    assert (status, line.count("\n")) == (4, 1)
    assert line.startswith("error: Spark: its session has no library of Delta, so nothing was registered: add --conf")
    assert not spark.catalog.databaseExists("brokerui")


class Catalog:
    """A session with a lasting catalog and Delta, which knows tables by its statements."""

    def __init__(self, *, knows: str = "", refuses: str = "") -> None:
        self.statements: list[str] = []
        self.catalog = SimpleNamespace(currentCatalog=lambda: "unity")
        self.read = SimpleNamespace(format=self._reader)
        self.place = knows
        self.refuses = refuses

    def _reader(self, name: str) -> Any:
        assert name == "delta"
        return SimpleNamespace(load=lambda place: SimpleNamespace(schema=place))

    def sql(self, text: str) -> Any:
        if self.refuses and self.refuses in text:
            raise AnalysisException("[SCHEMA_NOT_FOUND] it is not there.\nat Java")
        self.statements.append(text)
        if "LOCATION" in text:
            self.place = self.place or text.rpartition("LOCATION '")[2].removesuffix("'")
        row = {"col_name": "Location", "data_type": self.place}
        return SimpleNamespace(collect=lambda: [row] if text.startswith("DESCRIBE") else [])


@pytest.fixture
def in_session(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Catalog]:
    def start(**words: str) -> Catalog:
        found = Catalog(**words)
        monkeypatch.setattr(f"{REGISTER}.spark_session", lambda _settings: found)
        return found

    return start


def test_where_the_session_has_both_the_statements_of_lake_sql_are_run(
    in_session: Callable[..., Catalog], lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = in_session()
    assert outcome(lake, capsys, "--schema", "net") == (0, "registered  `net`.`traffic`\n")
    assert main(["lake", "sql", str(lake), "--for", "spark", "--schema", "net"]) == 0
    printed = capsys.readouterr().out.replace(";", "").splitlines()
    assert session.statements == [*printed, "DESCRIBE TABLE EXTENDED `net`.`traffic`"]


def test_another_table_of_the_name_is_told(
    in_session: Callable[..., Catalog], lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_session(knows="file:/elsewhere/silver")
    line = "error: `brokerui`.`traffic`: is another table, at file:/elsewhere/silver: drop it, or name another --schema"
    assert outcome(lake, capsys) == (4, f"{line}\n")


def test_the_same_table_again_is_registered(
    in_session: Callable[..., Catalog], lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_session(knows=f"file:{lake}/silver")
    assert outcome(lake, capsys)[0] == 0


def test_what_the_catalog_refuses_is_one_line(
    in_session: Callable[..., Catalog], lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_session(refuses="CREATE SCHEMA")
    line = "error: brokerui: the catalog refuses it: [SCHEMA_NOT_FOUND] it is not there."
    assert outcome(lake, capsys) == (4, f"{line}\n")
