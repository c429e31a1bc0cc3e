"""`brokerui load` of a result in an object store: an S3 server on loopback, and no Java."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
from pyarrow import fs

from brokerui.analysis.traffic.gold import read_gold
from brokerui.analysis.traffic.models import Change, Run
from brokerui.analysis.traffic.services import gold_load
from routing.common.errors import InputError
from tests.brokerui.analysis.traffic.golds import change, replayed

BUCKET = "results"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of an S3 server that keeps its objects in memory."""
    served = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    host, port = served.get_host_and_port()
    yield f"http://{host}:{port}"
    served.stop()


@pytest.fixture
def store(server: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The store, with one bucket, reached by what the environment says."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    found = fs.S3FileSystem(endpoint_override=server, allow_bucket_creation=True)
    found.create_dir(BUCKET)
    return found


@pytest.fixture
def put(store: Any, tmp_path: Path) -> str:
    """A result in the store."""
    folder = replayed(tmp_path / "gold", [change(1), change(2)])
    for path in folder.rglob("*.*"):
        with store.open_output_stream(f"{BUCKET}/my replay/{path.relative_to(folder).as_posix()}") as stream:
            stream.write(path.read_bytes())
    return f"s3://{BUCKET}/my%20replay"


@pytest.mark.django_db
@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_result_in_a_bucket_is_loaded_once(scheme: str, put: str) -> None:
    url = put.replace("s3:", f"{scheme}:") + "/"
    first, again = gold_load(url), gold_load(url)
    assert (first.is_new, first.rows, again.is_new, first.run) == (True, 4, False, again.run)
    assert Run.objects.get().folder == url.rstrip("/")
    assert sorted(Change.objects.values_list("to_service", flat=True)) == ["Stock1", "Stock2"]


@pytest.mark.django_db
def test_a_file_that_was_changed_or_is_gone_loads_nothing(put: str, store: Any) -> None:
    file = f"{BUCKET}/my replay/differential/part-1.parquet"
    with store.open_input_file(file) as stream:
        content = stream.read()
    for broken in (content[:-1], content[:-9] + bytes(9)):
        with store.open_output_stream(file) as stream:
            stream.write(broken)
        with pytest.raises(InputError, match=r"s3://results/my%20replay/differential/part-1[.]parquet: is not what"):
            gold_load(put)
    store.delete_file(file)
    with pytest.raises(InputError, match=r"part-1[.]parquet: cannot be read: is not there"):
        gold_load(put)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("s3://nowhere/at/all", "s3://nowhere/at/all/_run.json: cannot be read: the store is not there"),
        (
            "s3://results/empty",
            "s3://results/empty: is not the result of a run of the pipeline that was done: it has no",
        ),
        ("s3://results/x?colour=red", "s3://results/x: cannot be read: Unexpected query parameter"),
        ("bogus://results/x", "bogus://results/x: nothing here reads bogus://"),
        ("s3://somebody:secret@results/x", "s3://results/x: is not the result of a run"),
    ],
)
@pytest.mark.usefixtures("store")
def test_a_url_that_has_no_result_is_one_line(url: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        read_gold(url)
    assert str(refused.value).startswith(says)


def test_a_store_that_refuses_is_one_line(put: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"my%20replay/_run.json: cannot be read: [^\n]+"):
        read_gold(put)


def test_a_file_url_is_read_too(tmp_path: Path) -> None:
    folder = replayed(tmp_path / "a b")
    found = read_gold(folder.as_uri())
    assert (found.folder.lasting_name, len(found.files)) == (f"file://{tmp_path}/a%20b", 4)
    assert [row for batch in found.rows("flow_matrix", ["side"]) for row in batch] == [("before",), ("after",)]
