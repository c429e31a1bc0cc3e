"""`brokerui import-sql` and `brokerui export-sql`: from scripts to an estate, and back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from brokerui.cli.instance_files import instance_files
from brokerui.core.home import CHECKOUT
from routing.documents.estate_document import read_estate, write_estate
from tests.brokerui.cli.command_line import AT, FOUND, LOST, Call, call_with, misused, refused, written

SCRIPT = """CREATE DATABASE Orders;
GO
USE Orders;
GO
CREATE ROUTE Away WITH SERVICE_NAME = 'Stock', LIFETIME = 60, ADDRESS = 'tcp://host2';
go"""
FOUND_TEXT = write_estate(read_estate(json.dumps(FOUND)))


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def test_a_script_to_an_estate(call: Call, tmp_path: Path) -> None:
    answer = call("import-sql", f"host1={written(tmp_path, 'a.sql', SCRIPT)}", *AT)
    assert (answer.status, answer.err) == (0, "")
    instance = read_estate(answer.out).instances["host1"]
    assert [address.text for address in instance.addresses] == ["tcp://host1:4022"]
    assert list(instance.databases) == ["Orders", "msdb"]
    route = instance.databases["Orders"].table.routes["Away"]
    assert (route.remote_service_name, str(route.lifetime)) == ("Stock", "2026-06-01 00:01:00+00:00")


def test_several_servers_and_files_and_standard_input(call: Call, tmp_path: Path) -> None:
    first, second = written(tmp_path, "a.sql", SCRIPT), written(tmp_path, "b.sql", "USE Orders; DROP ROUTE away;")
    answer = call("import-sql", f"host1={first},{second}", "host2@tcp://other:5000=-", stdin="CREATE DATABASE Parts;")
    assert answer.status == 0
    estate = read_estate(answer.out)
    assert list(estate.instances["host1"].databases["Orders"].table.routes) == ["AutoCreatedLocal"]
    assert estate.instances["host2"].addresses[0].key == "tcp://other:5000"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_every_encoding(call: Call, tmp_path: Path, encoding: str) -> None:
    script = written(tmp_path, "a.sql", SCRIPT.replace("Orders", "Aufträge").encode(encoding))
    assert "Aufträge" in read_estate(call("import-sql", f"h={script}").out).instances["h"].databases


def test_findings_stand_on_standard_error(call: Call, tmp_path: Path) -> None:
    script = written(tmp_path, "a.sql", f"{SCRIPT}\nCREATE ROUTE away WITH ADDRESS = 'LOCAL'")
    answer = call("import-sql", f"h={script}", *AT)
    assert answer.status == 1
    assert answer.err.startswith(f"warning: already-exists (1): There already\n  {script}:7: h/Orders/away\n")
    assert call("import-sql", f"h={script}", *AT, "-o", tmp_path / "e.json").out == ""
    assert (tmp_path / "e.json").read_text() == answer.out


def test_findings_as_json(call: Call, tmp_path: Path) -> None:
    script = written(tmp_path, "a.sql", "USE Orders; CREATE ROUTE r WITH ADDRESS = @a")
    answer = call("import-sql", f"h={script}", "--format", "json")
    [finding] = json.loads(answer.err)
    assert answer.status == 1
    assert (finding["code"], finding["severity"], finding["file"], finding["line"]) == (
        "value-not-literal", "error", str(script), 1,
    )  # fmt: skip


def test_remarks_alone_are_no_failure(call: Call, tmp_path: Path) -> None:
    script = written(tmp_path, "a.sql", "CREATE ROUTE r WITH ADDRESS = 'LOCAL'")
    answer = call("import-sql", f"my host={script}")
    assert answer.status == 0
    assert "no-use (1)" in answer.err
    assert "address-unknown (1)" in answer.err


def test_into_an_estate(call: Call, tmp_path: Path) -> None:
    estate = written(tmp_path, "e.json", FOUND)
    script = written(tmp_path, "a.sql", "USE orders; DROP ROUTE ToParts;")
    answer = call("import-sql", f"HOST1={script}", "--into", estate)
    assert answer.status == 0
    assert read_estate(answer.out) == read_estate(json.dumps(LOST))


@pytest.mark.parametrize("arguments", [("nothing",), ("=a.sql",), ("h=",), ("h@tcp:/x=a.sql",), ("h=-", "i=-")])
def test_bad_usage(call: Call, arguments: tuple[str, ...]) -> None:
    assert "error: " in misused(call("import-sql", *arguments))


def test_names_may_hold_at_signs() -> None:
    assert instance_files("a@b@TCP://x:1=f@g.sql").instance == "a@b"


def test_unreadable_input(call: Call, tmp_path: Path) -> None:
    odd = written(tmp_path, "odd.sql", b"\xff\xfea")
    assert refused(call("import-sql", f"h={tmp_path / 'none.sql'}")).endswith(
        "cannot be read: No such file or directory"
    )
    assert refused(call("import-sql", f"h={odd}")).startswith(f"{odd}: is not utf-16-le text")
    long = written(tmp_path, "long.sql", SCRIPT)
    assert "is larger than 10 bytes" in refused(call("import-sql", f"h={long}", "--max-size", "10"))


def test_one_address_for_two_servers(call: Call, tmp_path: Path) -> None:
    script = written(tmp_path, "a.sql", SCRIPT)
    assert "is an address of" in refused(call("import-sql", f"a@tcp://x={script}", f"b@tcp://x={script}"))


def test_an_export_is_read_back(call: Call, tmp_path: Path) -> None:
    exported = call("export-sql", written(tmp_path, "e.json", FOUND), *AT)
    assert (exported.status, exported.err) == (0, "")
    script = written(tmp_path, "e.sql", exported.out)
    assert call("import-sql", f"any={script}", *AT) == (0, FOUND_TEXT, "")


def test_one_instance_of_an_estate(call: Call, tmp_path: Path) -> None:
    estate = written(tmp_path, "e.json", FOUND)
    script = written(tmp_path, "e.sql", call("export-sql", estate, "--instance", "host2").out)
    answer = call("import-sql", f"host2={script}")
    assert read_estate(answer.out) == read_estate(json.dumps(FOUND)).without_instance("host1")
    assert refused(call("export-sql", estate, "--instance", "x")) == '--instance: there is no instance "x"'


def test_a_change(call: Call, tmp_path: Path) -> None:
    before, after = written(tmp_path, "b.json", LOST), written(tmp_path, "a.json", FOUND)
    changes = call("export-sql", after, "--since", before).out
    assert "CREATE ROUTE [ToParts] WITH SERVICE_NAME = N'Stock', ADDRESS = N'tcp://host2.example';" in changes
    assert 'host2"' not in changes
    script = written(tmp_path, "c.sql", changes)
    assert call("import-sql", f"host1={script}", "--into", before) == (0, FOUND_TEXT, "")


def test_neither_command_loads_a_framework(tmp_path: Path) -> None:
    program = (
        "import sys; from brokerui.cli.main import main; main(sys.argv[1:]);"
        "print('loaded', *{name.partition('.')[0] for name in sys.modules})"
    )
    estate, script = written(tmp_path, "e.json", FOUND), written(tmp_path, "a.sql", SCRIPT)
    for arguments in (["import-sql", f"h={script}"], ["export-sql", str(estate)]):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=CHECKOUT, check=True
        )
        loaded = set(done.stdout.splitlines()[-1].split())
        assert "routing" in loaded
        assert not loaded & {"django", "celery", "pyspark", "babel"}


def test_an_instance_has_several_addresses(call: Call, tmp_path: Path) -> None:
    script = written(tmp_path, "d.sql", b"CREATE DATABASE D;")
    answer = call("import-sql", f"depot@tcp://depot:4023, TCP://127.0.0.1:4023,tcp://gate={script}")
    (instance,) = read_estate(answer.out).instances.values()
    assert [address.key for address in instance.addresses] == [
        "tcp://depot:4023",
        "tcp://127.0.0.1:4023",
        "tcp://gate:4022",
    ]
