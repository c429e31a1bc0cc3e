"""`pipeline graph`: the tables of telemetry as a declared graph, checked, and with `--compute` computed."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

import pyspark

from pipeline.ending import end_group
from pipeline.faults import GraphError
from pipeline.files import files_below
from pipeline.java import java_home
from pipeline.output import replaced, write_record
from pipeline.record import Run
from pipeline.session import HERE, SparkSettings, configuration

PROGRAM = Path(pyspark.__file__).parent / "bin" / "spark-pipelines"
DECLARED = "from pipeline.declared import tables as tables\n"


@dataclass(frozen=True, slots=True)
class Options:
    """A log, and where the tables go."""

    events: str
    out: str
    compute: bool = False
    """Compute the tables too."""


def graph(options: Options, settings: SparkSettings) -> Run:
    """Has `spark-pipelines` check the graph or compute it. Raises `GraphError`."""
    run = Run("graph", asdict(options))
    run.inputs = [{"path": str(path)} for path in files_below(options.events)]
    with replaced(options.out) as folder:
        _write_project(folder, options, settings)
        command = [str(PROGRAM), "run" if options.compute else "dry-run", "--spec", "spark-pipeline.yml"]
        # Its program speaks to Spark by Connect, which begins one of its own where the address is no server's.
        command += ["--remote", settings.master]
        if _status(command, folder, _environment(settings)):
            raise GraphError
        run.phase("run" if options.compute else "check")
        write_record(folder, run.as_json())
    return run


def _status(command: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Of the program: a Java, which starts a Python, which starts a Java. All end where this process is told to."""
    with subprocess.Popen(command, cwd=folder, env=environment, process_group=0) as program:  # noqa: S603 - Spark's own
        try:
            return program.wait()
        except BaseException:
            end_group(program)
            raise


def _write_project(folder: Path, options: Options, settings: SparkSettings) -> None:
    """What `spark-pipelines` takes; JSON is YAML."""
    settings_of_session = {
        name: value for name, value in configuration(settings).items() if name.startswith("spark.sql.")
    }
    project = {
        "name": "telemetry",
        "storage": (folder / "_storage").as_uri(),
        "configuration": {**settings_of_session, "spark.brokerui.events": str(Path(options.events).resolve())},
        "libraries": [{"glob": {"include": "declared/**"}}],
    }
    for name in ("declared", "_storage"):
        (folder / name).mkdir()
    (folder / "spark-pipeline.yml").write_text(json.dumps(project, indent=1), encoding="utf-8")
    (folder / "declared" / "tables.py").write_text(DECLARED, encoding="utf-8")


def _environment(settings: SparkSettings) -> dict[str, str]:
    return {
        **os.environ,
        **dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(HERE.parent), os.environ.get("PYTHONPATH")))),
        "PYSPARK_SUBMIT_ARGS": _arguments_of_java(settings),
        "JAVA_HOME": java_home(),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _arguments_of_java(settings: SparkSettings) -> str:
    """Of the one that computes, which Spark's program starts.

    What that program is told on its own command line does not all reach it: no memory, and of many settings the last.
    """
    told = (("--conf", f"{name}={value}") for name, value in configuration(settings).items())
    return shlex.join([*chain.from_iterable(told), "pyspark-shell"])
