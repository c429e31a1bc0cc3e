"""`pipeline graph`: check the declared graph of the telemetry tables, and compute it with `--compute`."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

import pyspark

import pipeline
from pipeline.files.location import Location, is_url, location, spark_name
from pipeline.inputs.files import files_below
from pipeline.results.remote_folder import remote_folder
from pipeline.results.run_record import JobRun
from pipeline.results.swapped_folder import swapped_folder
from pipeline.runtime.java import java_home
from pipeline.runtime.session import LOCAL, SparkSettings, spark_configuration, start_for_urls
from pipeline.runtime.shutdown import end_process_group
from pipeline.runtime.spark_errors import GraphError

PROGRAM = Path(pyspark.__file__).parent / "bin" / "spark-pipelines"
WAREHOUSE, WAREHOUSE_FOLDER = "spark.sql.warehouse.dir", "spark-warehouse"
PROJECT_SOURCE = "from pipeline.declared import tables as tables\n"


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Options of `graph`."""

    events: str
    out: str
    compute: bool = False
    """Compute the tables, not only check them."""


def graph(options: GraphOptions, settings: SparkSettings) -> JobRun:
    """Run `spark-pipelines` to check or compute the graph. Raises `GraphError`."""
    start_for_urls(settings, options.events, options.out)
    run = JobRun("graph", asdict(options))
    run.inputs = [{"path": str(path)} for path in files_below(options.events)]
    with remote_folder(options.out) if is_url(options.out) else swapped_folder(options.out) as result:
        folder = result.folder
        _write_project(folder, result.tables / "_storage", options, settings)
        command = [str(PROGRAM), "run" if options.compute else "dry-run", "--spec", "spark-pipeline.yml"]
        # `spark-pipelines` uses Spark Connect, which starts a server of its own unless the address names one.
        command += ["--remote", settings.master or LOCAL]
        if _exit_status(command, folder, _environment(_with_tables_at(result.tables, settings))):
            raise GraphError
        run.end_phase("run" if options.compute else "check")
        result.publish(run.as_json())
    return run


def _exit_status(command: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Run the program (Java, which starts Python, which starts Java). Ends all three if this process is interrupted."""
    with subprocess.Popen(command, cwd=folder, env=environment, process_group=0) as program:  # noqa: S603 - Spark's own
        try:
            return program.wait()
        except BaseException:
            end_process_group(program)
            raise


def _write_project(folder: Path, storage: Location, options: GraphOptions, settings: SparkSettings) -> None:
    """Write the project that `spark-pipelines` reads. The YAML file is written as JSON, a subset of YAML."""
    settings_of_session = {
        name: value for name, value in spark_configuration(settings).items() if name.startswith("spark.sql.")
    }
    project = {
        "name": "telemetry",
        "storage": storage.as_uri() if isinstance(storage, Path) else str(storage),
        "configuration": {**settings_of_session, "spark.brokerui.events": spark_name(location(options.events))},
        "libraries": [{"glob": {"include": "declared/**"}}],
    }
    for place in (folder / "declared", storage):
        if isinstance(place, Path):
            place.mkdir()
    (folder / "spark-pipeline.yml").write_text(json.dumps(project, indent=1), encoding="utf-8")
    (folder / "declared" / "tables.py").write_text(PROJECT_SOURCE, encoding="utf-8")


def _with_tables_at(place: Location, settings: SparkSettings) -> SparkSettings:
    return replace(settings, extra={WAREHOUSE: str(place / WAREHOUSE_FOLDER), **settings.extra})


def _environment(settings: SparkSettings) -> dict[str, str]:
    return {
        **os.environ,
        **dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable),
        "PYTHONPATH": os.pathsep.join(
            filter(None, (str(Path(pipeline.__file__).parents[1]), os.environ.get("PYTHONPATH")))
        ),
        "PYSPARK_SUBMIT_ARGS": _arguments_of_java(settings),
        "JAVA_HOME": java_home(),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _arguments_of_java(settings: SparkSettings) -> str:
    """Return the arguments for the Java that computes, which `spark-pipelines` starts.

    Its own command line does not pass on all settings: not the memory, and only the last of several `--conf`.
    """
    settings_arguments = (("--conf", f"{name}={value}") for name, value in spark_configuration(settings).items())
    return shlex.join([*chain.from_iterable(settings_arguments), "pyspark-shell"])
