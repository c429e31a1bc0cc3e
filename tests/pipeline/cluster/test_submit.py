"""The commands of the how-to for YARN and Kubernetes, as far as they can be tried without a cluster."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import main
from pipeline.runtime.java import java_home
from tests.doc_blocks import blocks
from tests.pipeline.cluster.jobs import ended, tables
from tests.pipeline.cluster.kubernetes import running_kubernetes
from tests.pipeline.cluster.machines import SETTINGS, SPARK
from tests.pipeline.estates import TO_PARTS, document, row, written

PAGE = "docs/how-to/cluster.md"
API = "k8s://https://api.example:6443"
CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "traffic", "readOnly": False}}
pytestmark = [
    pytest.mark.usefixtures("spark"),
    pytest.mark.thorough("the commands change with the page alone, and each takes a Java"),
    pytest.mark.slow,
]


def command_with(words: str) -> str:
    """The block of the page with these words."""
    (found,) = (block.text for block in blocks(PAGE) if words in block.text)
    return found


def submitted(script: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a block as a reader does whose shell has the environment of BrokerUI."""
    (folder / "run.py").write_text("print('it runs')\n")
    path = f"{SPARK}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "JAVA_HOME": java_home(), "SPARK_LOCAL_IP": "127.0.0.1", "PATH": path, **more}
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_kubernetes_gets_a_pod_with_the_image_the_arguments_and_the_volume(tmp_path: Path) -> None:
    with running_kubernetes(tmp_path, java_home()) as cluster:
        script = command_with(API).replace(API, cluster.master)
        script = script.replace(
            "spark-submit ", "spark-submit --conf spark.kubernetes.submission.waitAppCompletion=false ", 1
        )
        found = submitted(script, tmp_path, PYSPARK_DRIVER_PYTHON=sys.executable)
        assert found.returncode == 0, found.stderr
        (pod,) = cluster.of_kind("Pod")
        (settings,) = cluster.of_kind("ConfigMap")
    about: Any = pod["spec"]
    (container,) = about["containers"]
    assert (container["image"], about["serviceAccountName"]) == ("registry.example/brokerui-pipeline", "spark")
    arguments = "local:///opt/run.py route --estate /shared/history --traffic /shared/lake --out /shared/routed"
    assert " ".join(container["args"]).endswith(arguments)
    assert CLAIM in about["volumes"]
    assert [one["mountPath"] for one in container["volumeMounts"] if one["name"] == "data"] == ["/shared"]
    assert not [one for one in container["env"] if "PYTHON" in one["name"]], "of the machine that submits"
    properties = settings["data"]["spark.properties"].replace("\\:", ":").splitlines()
    assert "spark.kubernetes.executor.container.image=apache/spark:4.3.0" in properties
    executors = "spark.kubernetes.executor.volumes.persistentVolumeClaim.data"
    assert {f"{executors}.options.claimName=traffic", f"{executors}.mount.path=/shared"} <= {*properties}


def test_executors_of_pods_give_the_rows_of_one_machine(tmp_path: Path) -> None:
    """The driver is outside of the cluster. Each pod has the volume and the image that the settings name."""
    estate = written(tmp_path / "estate.json", document(TO_PARTS))
    traffic = written(tmp_path / "in" / "rows.jsonl", [row(number, bytes=number) for number in range(300)])
    route = ["route", "--estate", estate, "--traffic", traffic, "--out"]
    with running_kubernetes(tmp_path, java_home()) as cluster:
        settings = {**SETTINGS, "spark.executor.instances": "2", "spark.kubernetes.executor.container.image": "spark:1"}
        words = ["--master", cluster.master, *(f"--conf={name}={value}" for name, value in settings.items())]
        found = ended([*route, str(tmp_path / "there"), *words], tmp_path / "driver")
        assert found.status == 0, found.err
        pods = [pod["spec"]["containers"][0] for pod in cluster.of_kind("Pod")]
    assert [(one["image"], one["args"]) for one in pods] == [("spark:1", ["executor"])] * 2
    assert main([*route, str(tmp_path / "here")]) == 0
    assert tables(tmp_path / "there") == tables(tmp_path / "here")


def test_yarn_needs_the_configuration_of_hadoop_and_says_so(tmp_path: Path) -> None:
    script = command_with("--master yarn").replace("HADOOP_CONF_DIR=/etc/hadoop/conf ", "")
    found = submitted(script, tmp_path)
    assert found.returncode == 1
    assert "When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set" in found.stderr


def test_the_line_for_yarn_is_read_as_it_stands(tmp_path: Path) -> None:
    """The program ends before it asks for the cluster."""
    script = (
        command_with("--master yarn")
        .replace("/etc/hadoop/conf", str(tmp_path))
        .replace("/opt/brokerui/.venv/bin/python", sys.executable)
    )
    found = submitted(script.replace("spark-submit ", "spark-submit --verbose ", 1), tmp_path)
    assert (found.returncode, found.stdout.splitlines()[-1]) == (0, "it runs")
    words = [line.strip() for line in (found.stdout + found.stderr).splitlines()]
    for setting in (
        "spark.master,yarn",
        "spark.submit.deployMode,client",
        "spark.executor.instances,8",
        "spark.executor.memory,4g",
    ):
        assert f"({setting})" in words
    assert "childArgs               [ingest --in hdfs:///traffic --out hdfs:///lake]" in words
