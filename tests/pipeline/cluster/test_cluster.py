"""On a cluster each job gives the rows that it gives on one machine."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from pipeline.cli import main
from tests.pipeline.cluster.jobs import ended, started, tables
from tests.pipeline.cluster.machines import SETTINGS, SPARK, Cluster
from tests.pipeline.estates import TO_PARTS, document, row, written
from tests.pipeline.telemetry.event_logs import random_log, write_log

RUN = """\
import sys

from pipeline.cli import main

sys.exit(main())
"""
"""The program of the how-to that `spark-submit` gets."""
pytestmark = [
    pytest.mark.usefixtures("spark"),
    pytest.mark.thorough("the jobs are compared with the rules on one machine; five Javas for a cluster"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two estates, traffic in four formats with rows that fit nothing, and an event log."""
    folder = tmp_path_factory.mktemp("given")
    written(folder / "before.json", document())
    written(folder / "after.json", document(TO_PARTS))
    rows = [row(number, bytes=number) for number in range(3_000)]
    traffic = folder / "traffic"
    written(traffic / "rows.jsonl", [*rows[:2_000], {"conversation_id": "bad"}, *rows[:7]])
    names = list(rows[0])
    lines = [",".join(names), *(",".join(map(_cell, one.values())) for one in rows[2_000:])]
    (traffic / "rows.csv").write_text("\n".join([*lines, "short,line"]) + "\n")
    (traffic / "windows.csv").write_text("\n".join(lines[:100]) + "\n", encoding="utf-16")
    (traffic / "several lines.csv").write_text("\n".join(lines[:3]).replace("Entry", '"En\ntry"') + "\n")
    (traffic / "damaged.parquet").write_bytes(b"PAR1 and nothing else")
    write_log(random_log(random.Random(1), 500), folder / "events")
    return folder


def _cell(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def job(name: str, given: Path, out: Path) -> list[str]:
    """Return the words of a job on one of the inputs."""
    traffic = ["--traffic", str(given / "traffic")]
    arguments = {
        "ingest": ["--in", str(given / "traffic")],
        "route": ["--estate", str(given / "after.json"), *traffic],
        "replay": [
            *("--baseline", str(given / "before.json"), "--proposed", str(given / "after.json"), "--rows", *traffic),
        ],
        "telemetry": ["--events", str(given / "events"), "--estate", str(given / "after.json")],
        "generate": ["--estate", str(given / "after.json"), "--rows", "5000", "--seed", "1"],
    }[name]
    return [name, *arguments, "--out", str(out)]


@pytest.mark.parametrize("name", ["generate", "ingest", "route", "replay", "telemetry"])
def test_the_rows_are_those_of_one_machine(
    name: str, given: Path, cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    on_cluster = ended([*job(name, given, there), *cluster.arguments()], tmp_path / "driver")
    assert (on_cluster.status, on_cluster.err) == (0, "")
    assert main(job(name, given, here)) == 0
    alone = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("seconds")]
    assert on_cluster.counts == alone
    found = tables(there)
    assert found
    assert found == tables(here)


def test_spark_submit_says_where_it_runs(given: Path, cluster: Cluster, tmp_path: Path) -> None:
    program = tmp_path / "run.py"
    program.write_text(RUN)
    settings = {**SETTINGS, "spark.pyspark.driver.python": sys.executable}
    command = [str(SPARK / "bin" / "spark-submit"), "--master", cluster.master]
    command += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    there = tmp_path / "there"
    found = ended(
        job("route", given, there), tmp_path / "driver", "env", f"JAVA_HOME={cluster.java}", *command, str(program)
    )
    assert found.status == 0, found.err
    assert f"Connecting to master {cluster.master}" in found.err
    assert main(job("route", given, tmp_path / "here")) == 0
    assert tables(there) == tables(tmp_path / "here")


def test_a_job_that_no_machine_has_room_for_says_why_it_waits(given: Path, cluster: Cluster, tmp_path: Path) -> None:
    large = cluster.arguments({"spark.executor.memory": "100g", "spark.starvation.timeout": "1s"})
    with started([*job("route", given, tmp_path / "out"), *large], tmp_path / "driver") as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.terminate()
    assert "has not accepted any resources" in line


def test_a_master_that_is_not_there_is_one_line(given: Path, tmp_path: Path) -> None:
    nobody = ["--master", "spark://127.0.0.1:9", "--conf", "spark.driver.host=127.0.0.1"]
    found = ended([*job("route", given, tmp_path / "out"), *nobody], tmp_path / "driver")
    assert found.status == 4
    assert "All masters are unresponsive" in found.err
    assert found.err.splitlines()[-1].startswith("error: spark://127.0.0.1:9: does not answer")
    assert len(found.err.splitlines()) == 2
    assert not (tmp_path / "out").exists()
