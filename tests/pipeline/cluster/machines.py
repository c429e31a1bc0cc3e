"""A master and its workers. They share with the driver no folder but those that a job names, and have no Python."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import STDOUT

import pyspark

from pipeline.runtime.java import java_home
from tests.brokerui.product import eventually
from tests.pipeline.processes import children

SPARK = Path(pyspark.__file__).parent
NO_PYTHON = "/no/python/here"
OF_TESTS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For a Java that lives for seconds."""
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.executor.defaultJavaOptions": OF_TESTS,
    "spark.pyspark.python": NO_PYTHON,
    # Several tasks for each worker, and rows that go from one to the other.
    "spark.sql.files.maxPartitionBytes": "256k",
    "spark.sql.shuffle.partitions": "4",
}
"""The settings of Spark for a job on this cluster."""


@dataclass
class Daemon:
    """A process of the cluster, and what it has logged."""

    process: subprocess.Popen[bytes]
    log: Path

    def has_logged(self, pattern: str) -> re.Match[str] | None:
        assert self.process.poll() is None, self.log.read_text()
        return re.search(pattern, self.log.read_text())

    def kill(self) -> None:
        """Kill it and what it started: an executor that lost its worker would end by itself, but later."""
        started = list(children(self.process.pid))
        for pid in (self.process.pid, *started):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Let it end its executors."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


@dataclass
class Cluster:
    """A standalone cluster on 127.0.0.1."""

    folder: Path
    java: str
    master: str = ""
    daemons: list[Daemon] = field(default_factory=list)
    workers: list[Daemon] = field(default_factory=list)

    def start(self, workers: int) -> None:
        """Start a master, and workers that it knows."""
        daemon = self._daemon("master", "master.Master", "--port", "0")
        found = eventually(lambda: daemon.has_logged(r"Starting Spark master at (spark://\S+)"))
        self.master = found[1]
        self.workers = [self._worker() for _ in range(workers)]
        for one in self.workers:
            eventually(lambda one=one: one.has_logged("Successfully registered with master"))

    def be_whole(self) -> None:
        """Replace the workers that were killed."""
        for place, one in enumerate(self.workers):
            if one.process.poll() is not None:
                self.workers[place] = new = self._worker()
                eventually(lambda new=new: new.has_logged("Successfully registered with master"))

    def arguments(self, **more: str) -> list[str]:
        """Return the arguments by which a job runs here."""
        settings = {**SETTINGS, **{name.replace("_", "."): value for name, value in more.items()}}
        return ["--master", self.master, *(f"--conf={name}={value}" for name, value in settings.items())]

    def _worker(self) -> Daemon:
        return self._daemon("worker", "worker.Worker", "--cores", "1", "--memory", "1g", self.master)

    def _daemon(self, name: str, program: str, *arguments: str) -> Daemon:
        """Start a daemon in a folder of its own, which it alone knows."""
        folder = self.folder / f"{name}{len(self.daemons)}"
        (folder / "tmp").mkdir(parents=True)
        command = [str(SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{program}"]
        command += ["--host", "127.0.0.1", "--webui-port", "0", *arguments]
        log = folder / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=folder, env=self._environment(folder), stdout=output, stderr=STDOUT)
        self.daemons.append(Daemon(process, log))
        return self.daemons[-1]

    def _environment(self, folder: Path) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "TMPDIR": str(folder / "tmp"),
            "SPARK_HOME": str(SPARK),
            "SPARK_WORKER_DIR": str(folder / "work"),
            "SPARK_LOCAL_DIRS": str(folder / "tmp"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": f"{OF_TESTS} -Djava.io.tmpdir={folder / 'tmp'}",
            "JAVA_HOME": self.java,
        }


@contextmanager
def running_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster that ends with the block."""
    cluster = Cluster(folder, java_home())
    try:
        cluster.start(workers)
        yield cluster
    finally:
        for one in reversed(cluster.daemons):
            one.end()
