"""The tables of telemetry as a declared graph: it holds, and computes what a plain reading of the log says."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pipeline.files.file_system import file_system
from pipeline.jobs.graph import GraphOptions, graph
from pipeline.jobs.telemetry import TABLES
from pipeline.results.remote_folder import remote_folder
from pipeline.results.swapped_folder import swapped_folder
from pipeline.runtime.session import SparkSettings
from pipeline.runtime.shutdown import Shutdown
from pipeline.runtime.spark_errors import GraphError
from routing.common.errors import InputError
from tests.pipeline.estates import row, written
from tests.pipeline.signals import interrupted_at
from tests.pipeline.telemetry import naive
from tests.pipeline.telemetry.event_logs import random_log, write_log
from tests.pipeline.telemetry.tables import alike, table


def test_the_graph_holds(connect: str, tmp_path: Path) -> None:
    log = write_log(random_log(random.Random(3), 20), tmp_path / "log")
    graph(GraphOptions(log, str(tmp_path / "out")), SparkSettings(connect))
    record = json.loads((tmp_path / "out" / "_run.json").read_text())
    assert (record["job"], record["arguments"]["compute"]) == ("graph", False)


@pytest.mark.thorough("the program is that of a graph of a path, and the folder of its run has a test without it")
@pytest.mark.usefixtures("spark")
def test_a_graph_behind_a_url_has_a_record_that_names_its_folder(connect: str, tmp_path: Path) -> None:
    log, out = Path(write_log(random_log(random.Random(3), 20), tmp_path / "log")), tmp_path / "out"
    graph(GraphOptions(log.as_uri(), out.as_uri()), SparkSettings(connect))
    assert json.loads((out / "_run.json").read_text())["folder"].startswith("result-")


@pytest.mark.usefixtures("spark")
def test_of_a_graph_behind_a_url_the_last_one_that_was_published_counts(tmp_path: Path) -> None:
    place = tmp_path / "out"

    def folders() -> list[str]:
        return sorted(folder.name for folder in place.iterdir() if folder.is_dir())

    def write(*, fails: bool) -> None:
        with remote_folder(place.as_uri()) as result:
            file_system(result.tables).put(result.tables / "spark-warehouse" / "t.parquet", b"")
            if fails:
                raise GraphError
            result.publish({"job": "graph"})

    (place / "result-20200101T000000Z-0badcafe").mkdir(parents=True)
    write(fails=False)
    (first,) = folders()
    with pytest.raises(GraphError):
        write(fails=True)
    assert folders() == [first]
    write(fails=False)
    assert folders() == [json.loads((place / "_run.json").read_text())["folder"]] != [first]
    (place / "_run.json").unlink()
    (place / "mine.txt").touch()
    with pytest.raises(InputError, match="holds something else"):
        write(fails=False)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("new_folder", [swapped_folder, remote_folder])
def test_a_signal_while_a_graph_is_published_waits_for_it(new_folder: Any, tmp_path: Path, ending: Shutdown) -> None:
    place = tmp_path / "out"
    name = place.as_uri() if new_folder is remote_folder else str(place)
    with new_folder(name) as result:
        result.publish({"job": "graph", "number": 1})
    with interrupted_at("write_record", new_folder.__module__, ending), new_folder(name) as result:
        result.publish({"job": "graph", "number": 2})
    assert json.loads((place / "_run.json").read_text())["number"] == 2


@pytest.mark.slow
@pytest.mark.thorough("a graph behind a URL is checked, and one of a path is computed")
@pytest.mark.usefixtures("spark")
def test_the_tables_of_a_graph_may_be_behind_a_url(tmp_path: Path) -> None:
    rows, out = random_log(random.Random(3), 60), tmp_path / "out"
    log = Path(write_log(rows, tmp_path / "log"))
    graph(GraphOptions(log.as_uri(), out.as_uri(), compute=True), SparkSettings("local[2]"))
    warehouse = out / json.loads((out / "_run.json").read_text())["folder"] / "spark-warehouse"
    for name in TABLES:
        assert alike(table(warehouse, name), getattr(naive, name)(rows)), name


@pytest.mark.thorough("one program of Spark's for a refusal that it words itself; test_the_graph_holds runs the other")
def test_a_graph_that_does_not_hold_is_told_and_leaves_nothing(connect: str, tmp_path: Path) -> None:
    """Its log has none of the columns that the tables are made of."""
    log = Path(written(tmp_path / "log" / "a.jsonl", [row()])).parent
    with pytest.raises(GraphError):
        graph(GraphOptions(str(log), str(tmp_path / "out")), SparkSettings(connect))
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.thorough("the same tables are computed and compared by the job of telemetry")
def test_the_graph_computes_what_a_plain_reading_says(connect: str, warehouse: Path, tmp_path: Path) -> None:
    rows = random_log(random.Random(3), 400)
    log = write_log(rows, tmp_path / "log")
    graph(GraphOptions(log, str(tmp_path / "out"), compute=True), SparkSettings(connect))
    for name in TABLES:
        assert alike(table(warehouse, name), getattr(naive, name)(rows)), name
    for name in ("hops", "disagreements"):
        assert alike(table(warehouse, name), getattr(naive, name)(rows, None)), name
