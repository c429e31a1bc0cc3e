"""What stands for the API server of a Kubernetes: it takes pods, and starts executors as processes of this machine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.brokerui.product import STOP_SECONDS
from tests.pipeline.cluster.machines import OF_TESTS, SPARK

Json = dict[str, Any]
PODS = "/api/v1/namespaces/default/pods"
BACKEND = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"


@dataclass
class Kubernetes:
    """A namespace, and the programs of its executors."""

    folder: Path
    java: str
    master: str = ""
    objects: dict[str, Json] = field(default_factory=dict)
    """By kind and name."""
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[Json]:
        return [one for one in self.objects.values() if one.get("kind") == kind]

    def put(self, new: Json) -> Json:
        """Take an object, and start the executor of a pod."""
        about = new.setdefault("metadata", {})
        about |= {"uid": f"uid-{len(self.objects)}", "resourceVersion": "1", "namespace": "default"}
        self.objects[f"{new.get('kind')}/{about.get('name')}"] = new
        if new.get("kind") == "Pod" and about.get("labels", {}).get("spark-role") == "executor":
            new["status"] = {"phase": "Running", "podIP": "127.0.0.1", "containerStatuses": []}
            self.programs.append(self._executor(new))
        return new

    def _executor(self, pod: Json) -> subprocess.Popen[bytes]:
        """Start what the image of Spark starts for the pod of an executor."""
        container = pod["spec"]["containers"][0]
        about = {one["name"]: one.get("value", "127.0.0.1") for one in container["env"]}
        options = {
            "--driver-url": about["SPARK_DRIVER_URL"],
            "--executor-id": about["SPARK_EXECUTOR_ID"],
            "--cores": about["SPARK_EXECUTOR_CORES"],
            "--app-id": about["SPARK_APPLICATION_ID"],
            "--hostname": "127.0.0.1",
            "--resourceProfileId": about["SPARK_RESOURCE_PROFILE_ID"],
            "--podName": pod["metadata"]["name"],
        }
        folder = self.folder / pod["metadata"]["name"]
        folder.mkdir()
        java = [f"{self.java}/bin/java", *OF_TESTS.split(), "-Xmx512m", "-cp", f"{SPARK}/jars/*"]
        words = [f"-Djava.io.tmpdir={folder}", BACKEND, *(word for option in options.items() for word in option)]
        with (folder / "log").open("wb") as log:
            return subprocess.Popen(
                [*java, *words], cwd=folder, env={"SPARK_LOCAL_DIRS": str(folder)}, stdout=log, stderr=subprocess.STDOUT
            )


def handler_of(cluster: Kubernetes) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def answer(self, content: Json, status: int = 200) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            place, _, query = self.path.partition("?")
            name = place.removeprefix(f"{PODS}/")
            if name != place:
                found = cluster.objects.get(f"Pod/{name}")
                self.answer(found or {"kind": "Status", "code": 404}, 200 if found else 404)
                return
            items = cluster.of_kind("Pod") if place == PODS and "watch" not in query else []
            self.answer({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": items})

        def _take(self) -> None:
            self.answer(cluster.put(json.loads(self.rfile.read(int(self.headers["Content-Length"])))), 201)

        def do_DELETE(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.answer({"kind": "Status", "apiVersion": "v1", "status": "Success"})

    takes: Callable[[Any], None] = Handler._take
    for method in ("do_POST", "do_PUT", "do_PATCH"):
        setattr(Handler, method, takes)
    return Handler


@contextmanager
def running_kubernetes(folder: Path, java: str) -> Iterator[Kubernetes]:
    """One that ends with the block, and its executors with it."""
    cluster = Kubernetes(folder, java)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler_of(cluster)) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        cluster.master = f"k8s://http://127.0.0.1:{server.server_address[1]}"
        try:
            yield cluster
        finally:
            server.shutdown()
            thread.join(STOP_SECONDS)
            for program in cluster.programs:
                program.kill()
                program.wait()
