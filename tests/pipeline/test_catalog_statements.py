"""`pipeline lake sql`: the statements for a catalog are those of each program, whatever the names are."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from pipeline.cli import main
from pipeline.delta.table import DeltaLog, TableCommit
from pipeline.delta.written_files import written_file
from pipeline.files.location import Location, RemoteLocation
from pipeline.lake.tables import silver_log
from pipeline.lake_arguments import PROGRAMS
from pipeline.results import catalog_statements
from pipeline.results.catalog_statements import statements

RUN = "result-20261127T041200Z-0123abcd"
ODD = {"a'b": RemoteLocation("s3a://bucket", PurePosixPath("/it's a\\lake/silver")), 'c"`d': Path("/tmp/a b%")}


def texts(program: str, tables: dict[str, Location]) -> list[str]:
    return list(statements(program, "brokerui", tables))


def test_spark_parses_its_statements(spark: SparkSession) -> None:
    found = texts("spark", dict(ODD))
    assert found[1].startswith(
        "CREATE TABLE IF NOT EXISTS `brokerui`.`a'b` USING DELTA LOCATION 's3a://bucket/it\\'s a"
    )
    assert found[2] == "CREATE TABLE IF NOT EXISTS `brokerui`.`c\"``d` USING DELTA LOCATION 'file:///tmp/a%20b%25'"
    parser = spark._jsparkSession.sessionState().sqlParser()
    for text in found:
        plan = parser.parsePlan(text).toString()
        assert "Create" in plan


def test_duckdb_parses_its_statements() -> None:
    found = texts("duckdb", dict(ODD))
    assert found[3].endswith("AS SELECT * FROM delta_scan('s3://bucket/it''s a\\lake/silver')")
    assert len(duckdb.extract_statements(";".join(found))) == len(found) == 5


def test_trino_registers_each_table() -> None:
    assert texts("trino", {"traffic": RemoteLocation("s3a://bucket", PurePosixPath("/lake/silver"))}) == [
        'CREATE SCHEMA IF NOT EXISTS "brokerui"',
        (
            "CALL system.register_table(schema_name => 'brokerui', table_name => 'traffic', "
            "table_location => 's3://bucket/lake/silver')"
        ),
    ]


def test_another_program_is_refused() -> None:
    assert PROGRAMS == catalog_statements.PROGRAMS
    with pytest.raises(ValueError, match="oracle"):
        texts("oracle", {})


def result(folder: Path) -> Path:
    """A result with rows in its own folder, and a table in a folder of its summary."""
    about = {}
    for name, below in {"rows": "", "outcomes": "_summary/outcomes/"}.items():
        file = folder / f"{below}{RUN}" / "part.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pa.table({"value": [1]}), file)
        table = file.parent.parent
        log = DeltaLog(table, StructType([StructField("value", LongType())]))
        version = log.commit(TableCommit([written_file(table, file, ())]), None)
        about[name] = {"version": version, "files": [{"path": f"{below}{RUN}/part.parquet"}]}
    (folder / "_run.json").write_text(json.dumps({"job": "route", "tables": about}), encoding="utf-8")
    return folder


def test_the_tables_of_a_result_and_of_a_lake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = result(tmp_path / "out")
    assert main(["lake", "sql", str(out), "--for", "spark", "--schema", "routes"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "CREATE SCHEMA IF NOT EXISTS `routes`;",
        f"CREATE TABLE IF NOT EXISTS `routes`.`route_rows` USING DELTA LOCATION '{out.as_uri()}';",
        (
            "CREATE TABLE IF NOT EXISTS `routes`.`route_outcomes` USING DELTA LOCATION "
            f"'{out.as_uri()}/_summary/outcomes';"
        ),
    ]
    lake = tmp_path / "lake"
    (lake / "_commits").mkdir(parents=True)
    silver_log(lake).commit(TableCommit([]), None)
    assert main(["lake", "sql", str(lake), "--for", "duckdb"]) == 0
    view = (
        f'CREATE VIEW IF NOT EXISTS "brokerui"."traffic" AS SELECT * FROM delta_scan(\'{(lake / "silver").as_uri()}\');'
    )
    assert capsys.readouterr().out.splitlines()[-1] == view


@pytest.mark.parametrize("folder", ["", "_commits"])
def test_a_folder_without_tables_is_one_line(folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    assert main(["lake", "sql", str(tmp_path), "--for", "spark"]) == 4
    assert "has no Delta tables: name a lake with rows, or a result of any job but graph" in capsys.readouterr().err


def test_a_record_that_names_files_of_no_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = {"rows": {"version": 0, "files": [{"path": "elsewhere/part.parquet"}]}}
    (tmp_path / "_run.json").write_text(json.dumps({"job": "route", "tables": tables}), encoding="utf-8")
    assert main(["lake", "sql", str(tmp_path), "--for", "spark"]) == 4
    assert "names a file that no run wrote: elsewhere/part.parquet" in capsys.readouterr().err
