"""A master and its workers. They share with the driver no folder but those that a job names, and have no Python."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import STDOUT
from urllib.request import urlopen

import pyspark

from pipeline.runtime.java import java_home
from tests.brokerui.product import STOP_SECONDS, eventually
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
    # A busy machine gives a job its executors late, and a warning about that would be no fault of the job.
    "spark.starvation.timeout": "600s",
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
    page: str = ""
    """Where the master says what it has."""
    daemons: list[Daemon] = field(default_factory=list)
    workers: list[Daemon] = field(default_factory=list)

    def start(self, workers: int) -> None:
        """Start a master, and workers that it knows."""
        daemon = self._daemon("master", "master.Master", "--port", "0")
        self.master = eventually(lambda: daemon.has_logged(r"Starting Spark master at (spark://\S+)"))[1]
        self.page = eventually(lambda: daemon.has_logged(r"MasterWebUI.* started at (http://\S+)"))[1]
        self.workers = [self._worker() for _ in range(workers)]
        self.be_whole()

    def be_whole(self) -> None:
        """Replace the workers that were killed, and wait until the master has them, and no job has a core of theirs:
        one whose driver was killed keeps its cores for a moment, in which another job would get one worker."""
        for place, one in enumerate(self.workers):
            if one.process.poll() is not None:
                self.workers[place] = self._worker()
        eventually(self._is_free)

    def _is_free(self) -> bool:
        """Executors whose driver was killed end a moment after the master has forgotten them."""
        if any(True for one in self.workers for _ in children(one.process.pid)):
            return False
        with urlopen(f"{self.page}/json/", timeout=STOP_SECONDS) as answer:
            about = json.load(answer)
        return bool(about["aliveworkers"] == len(self.workers) and not about["coresused"])

    def arguments(self, more: Mapping[str, str] | None = None) -> list[str]:
        """Return the arguments by which a job runs here."""
        settings = {**SETTINGS, **(more or {})}
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
