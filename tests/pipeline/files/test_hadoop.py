"""Files that a URL names, through Hadoop's own file system of this machine."""

from __future__ import annotations

import random
from pathlib import Path, PurePosixPath

import pytest

from pipeline.cli import main
from pipeline.files.file_system import copy_file, delete, exists, file_system, files_in, is_folder, read_bytes, state_of
from pipeline.files.hadoop_errors import python_error
from pipeline.files.location import Location, RemoteLocation, decoded_uri, location, relative_name, spark_name
from routing.common.errors import InputError

pytestmark = pytest.mark.usefixtures("spark")
HADOOP = "org.apache.hadoop"
CONTENT = random.Random(1).randbytes(3_000_000)


@pytest.fixture(params=["path", "URL"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """The same folder under both of its names."""
    place = tmp_path / "a b%20+ü"
    place.mkdir()
    return place if request.param == "path" else location(place.as_uri())


def test_a_file_is_written_and_read_at_any_place(folder: Location) -> None:
    file = folder / "deep" / "er" / "file"
    with file_system(file).created(file) as stream:
        stream.write(CONTENT[:10])
        stream.write(CONTENT[10:])
    assert read_bytes(file) == CONTENT
    with file_system(file).opened(file) as stream:
        assert (stream.seek(-5, 2), stream.read(9), stream.tell()) == (len(CONTENT) - 5, CONTENT[-5:], len(CONTENT))
        stream.seek(1_999_990)
        assert stream.read(20) == CONTENT[1_999_990:2_000_010]
    assert (state_of(file).size, state_of(file).is_folder, is_folder(file.parent)) == (len(CONTENT), False, True)


def test_of_two_new_files_of_one_name_the_first_one_stays(folder: Location) -> None:
    file = folder / "commit.json"
    file_system(file).put_new(file, b"first")
    with pytest.raises(FileExistsError):
        file_system(file).put_new(file, b"second")
    assert read_bytes(file) == b"first"
    file_system(file).put(file, b"third")
    assert read_bytes(file) == b"third"


def test_a_file_that_was_written_by_its_url_is_read_by_it_after_it_was_replaced_by_its_path(tmp_path: Path) -> None:
    path, url = tmp_path / "record.json", location((tmp_path / "record.json").as_uri())
    file_system(url).put(url, b"by its URL")
    file_system(path).put(path, b"by its path")
    assert read_bytes(url) == b"by its path"


def test_a_folder_is_listed_copied_and_removed(folder: Location, tmp_path: Path) -> None:
    for name in ("b", "a", "c/d"):
        file_system(folder).put(folder / name, name.encode())
    assert [file.name for file in files_in(folder)] == ["a", "b"]
    assert {place.name: state.is_folder for place, state in file_system(folder).listed(folder)} == {
        "a": False,
        "b": False,
        "c": True,
    }
    copy_file(folder / "a", folder / "new" / "a")
    copy_file(folder / "a", tmp_path / "plain")
    copy_file(tmp_path / "plain", folder / "c" / "back")
    assert read_bytes(folder / "new" / "a") == read_bytes(folder / "c" / "back") == b"a"
    for gone in (folder / "c", folder / "a", folder / "never"):
        delete(gone)
        assert not exists(gone)
    assert files_in(folder / "c") == []


def test_a_file_that_is_not_there_is_none(folder: Location) -> None:
    assert file_system(folder).state(folder / "x") is None
    for fault in (state_of, read_bytes):
        with pytest.raises(FileNotFoundError):
            fault(folder / "x")


def test_spark_and_the_pipeline_name_a_place_alike(tmp_path: Path) -> None:
    place, url = tmp_path / "a b", location((tmp_path / "a b").as_uri())
    assert decoded_uri(place) == decoded_uri(url) == spark_name(place) == str(tmp_path / "a b")
    assert spark_name(url) == f"file://{tmp_path}/a b"
    store = location("S3A://bucket/x/y.tar.gz/")
    assert (str(store), decoded_uri(store), store.name, store.suffixes) == (
        *("s3a://bucket/x/y.tar.gz", "s3a://bucket/x/y.tar.gz", "y.tar.gz"),
        [".tar", ".gz"],
    )
    assert relative_name(store, location("s3a://bucket")) == "x/y.tar.gz"
    with pytest.raises(ValueError, match="bucket"):
        relative_name(store, location("s3a://other/x"))


@pytest.mark.parametrize("scheme", ["s3a", "abfss", "nothing"])
def test_a_scheme_that_nobody_reads_is_one_line(scheme: str) -> None:
    with pytest.raises(InputError, match=f"nothing here reads {scheme}://: Spark lacks the library for it"):
        exists(location(f"{scheme}://store/folder"))


@pytest.mark.parametrize(
    ("causes", "kind", "says"),
    [
        (
            [("java.nio.file.AccessDeniedException", "s3a://b/x: 403")],
            PermissionError,
            "no permission (s3a://b/x: 403)",
        ),
        (
            [("java.io.IOException", "x"), ("org.apache.hadoop.security.AccessControlException", "")],
            PermissionError,
            "x",
        ),
        ([("org.apache.hadoop.fs.s3a.UnknownStoreException", "b: 404")], OSError, "the store is not there (b: 404)"),
        ([("org.apache.hadoop.fs.s3a.RemoteFileChangedException", "close: 412 at b")], FileExistsError, "is there alr"),
        ([("java.io.IOException", "close: Status Code: 412, Request ID")], FileExistsError, "is there already"),
        ([("java.io.FileNotFoundException", "x")], FileNotFoundError, "is not there"),
        ([("java.io.FileNotFoundException", "x: 412")], FileNotFoundError, "is not there"),
        ([("java.io.IOException", "result-20261127T041200Z-9a412bf0/x")], OSError, "result-20261127T041200Z-9a412bf0"),
        ([("java.net.ConnectException", "refused\nand more")], OSError, "refused"),
        ([("org.apache.hadoop.fs.FSError", "java.io.IOException: File too large")], OSError, "File too large"),
    ],
)
def test_failures_of_java_are_those_of_python(causes: list[tuple[str, str]], kind: type[OSError], says: str) -> None:
    place = RemoteLocation("s3a://b", PurePosixPath("/x"))
    found = python_error(place, *causes)
    assert isinstance(found, kind)
    assert says in str(found.strerror)
    assert "java." not in str(found.strerror)
    assert found.filename == "s3a://b/x"


def test_a_place_in_a_folder_that_nobody_may_look_into_is_not_taken_for_one_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuses(_files: object, path: object) -> None:
        raise PermissionError(13, "Permission denied", path)

    lake = location((tmp_path / "lake").as_uri())
    assert file_system(lake).state(lake) is None
    monkeypatch.setattr("pipeline.files.hadoop.LocalFiles.state", refuses)  # the user of the tests may look into each
    with pytest.raises(PermissionError):
        file_system(lake).state(lake)
    for command in ("history", "compact", "vacuum"):
        assert main(["lake", command, str(lake)]) == 4
        assert capsys.readouterr().err == f"error: {lake}/_commits: Permission denied\n"
