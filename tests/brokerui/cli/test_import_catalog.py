"""`brokerui collect-sql` and `brokerui import-catalog`: from live servers to an estate."""

from __future__ import annotations

import errno
import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brokerui.cli.instance_files import instance_files
from brokerui.core.home import CHECKOUT
from routing.catalog.script import collect_script
from routing.documents.estate_document import read_estate, write_estate
from routing.model.estate import Estate
from tests.brokerui.cli.command_line import FOUND, Call, call_with, misused, refused, start, written
from tests.routing.catalog import savers
from tests.routing.catalog.server import NOTHING, catalog, created, dumps, rows_of

ESTATE = created(read_estate(json.dumps(FOUND)))
KNOWN = json.loads(write_estate(ESTATE))
HOST1, HOST2 = ESTATE.instances.values()
GRID = b"name\tremote_service_name\taddress\r\nToParts\tStock\ttcp://host2.example:4022\r\n"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def result(instance: Any = HOST1, **more: Any) -> bytes:
    return savers.sqlcmd(rows_of(dumps(catalog(instance, **more))))


def waiting(**more: Any) -> dict[str, Any]:
    row = {"database_id": 5, "to_service_name": "Stock\x1b[31m", "transmission_status": None, "messages": 7}
    return {"transmission_queue": [{**row, **more}]}


def test_the_script(call: Call) -> None:
    assert call("collect-sql") == (0, collect_script(), "")


def test_from_servers_to_an_estate(call: Call, tmp_path: Path) -> None:
    one, two = written(tmp_path, "1.rpt", result()), written(tmp_path, "2.csv", result(HOST2))
    answer = call("import-catalog", f"host1@tcp://host1.example={one}", f"host2@TCP://host2.example={two}")
    assert (answer.status, answer.err) == (0, "")
    assert read_estate(answer.out) == ESTATE


def test_into_an_estate(call: Call, tmp_path: Path) -> None:
    estate, file = written(tmp_path, "e.json", KNOWN), written(tmp_path, "1.txt", result())
    assert call("import-catalog", f"host1={file}", "--into", estate) == (0, write_estate(ESTATE), "")


def test_into_itself(call: Call, tmp_path: Path) -> None:
    estate, file = written(tmp_path, "e.json", KNOWN), written(tmp_path, "1.txt", result())
    estate.chmod(0o640)
    assert call("import-catalog", f"host1={file}", "--into", estate, "-o", estate) == (0, "", "")
    assert read_estate(estate.read_bytes()) == ESTATE
    assert stat.S_IMODE(estate.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.txt", "e.json"]


def test_a_result_and_a_grid_of_one_server(call: Call, tmp_path: Path) -> None:
    bare = read_estate(json.dumps(FOUND)).without_instance("host2")
    file, grid = written(tmp_path, "1.txt", result()), written(tmp_path, "r.txt", GRID)
    answer = call("import-catalog", f"host1={file}", f"host1/Orders={grid}")
    routes = read_estate(answer.out).instances["host1"].databases["Orders"].table.routes
    assert list(routes) == ["ToParts"]
    assert answer.status == 0
    assert "not-found (1): Not found" in answer.err
    assert len(bare.instances) == 1


def test_several_files_of_one_server(call: Call, tmp_path: Path) -> None:
    flags = written(tmp_path, "d.csv", b"name,is_broker_enabled\nOrders,0\n")
    answer = call("import-catalog", f"host1={written(tmp_path, '1.txt', result())},{flags}")
    assert not read_estate(answer.out).instances["host1"].databases["Orders"].broker_enabled


def test_standard_input(call: Call) -> None:
    answer = call("import-catalog", "host1/msdb=-", stdin=GRID)
    assert list(read_estate(answer.out).instances["host1"].msdb.routes) == ["ToParts"]


def test_what_is_left_out_is_said_and_exits_1(call: Call, tmp_path: Path) -> None:
    bad = written(tmp_path, "1.txt", result(routes=[{"database_id": 5, "name": "R", "address": "msmq:x"}]))
    answer = call("import-catalog", f"host1={bad}")
    assert answer.status == 1
    assert "error: not-understood (1): Not understood, and left out\n  host1/Orders/R\n" in answer.err
    assert 'routes: was left out: address: must be LOCAL, TRANSPORT or tcp://HOST[:PORT], not "msmq:x"' in answer.err
    assert "1 error\n" in answer.err
    assert read_estate(answer.out).instances["host1"].databases["Orders"].table.routes == {}


def test_findings_as_json(call: Call, tmp_path: Path) -> None:
    bad = written(tmp_path, "1.txt", result(routes=[{"database_id": 5, "name": "R", "address": "msmq:x"}]))
    answer = call("import-catalog", f"host1={bad}", "--format", "json")
    (finding,) = json.loads(answer.err)
    assert (finding["code"], finding["object"], finding["file"]) == ("not-understood", "R", str(bad))


def test_messages_that_wait_are_said_and_kept_and_no_route_changes(call: Call, tmp_path: Path) -> None:
    row = waiting(transmission_status="The target service name could not be found.")
    answer = call("import-catalog", f"host1@tcp://host1.example={written(tmp_path, '1.txt', result(**row))}")
    assert answer.status == 0
    kept = read_estate(answer.out)
    found = kept.instances["host1"].databases["Orders"].transmission_queue
    assert found is not None
    assert [(row.to_service, row.messages) for row in found.rows] == [("Stock\x1b[31m", 7)]
    nothing = replace(kept.instances["host1"].databases["Orders"], transmission_queue=NOTHING["transmission_queue"])
    bare = kept.with_instance(kept.instances["host1"].with_database(nothing))
    assert bare == ESTATE.without_instance("host2")
    place = "warning: no-route (1): Messages wait: no route\n  host1/Orders/Stock?[31m\n"
    assert f'{place}      7 messages to Stock?[31m: "The target service name could not be found." ' in answer.err
    assert answer.err.endswith("host1/Orders: 7 messages in the transmission queue\n")


def test_what_waits_is_in_the_json_and_the_total_is_not(call: Call, tmp_path: Path) -> None:
    answer = call("import-catalog", f"h={written(tmp_path, '1.txt', result(**waiting()))}", "--format", "json")
    (finding,) = json.loads(answer.err)
    assert (finding["code"], finding["instance"], finding["database"]) == ("not-acknowledged", "h", "Orders")


OPEN = "An exception occurred while enqueueing a message in the target queue. Error: 15404, State: 19. Could not obtain"
STATUSES = {
    "SvcC": "Connection attempt failed with error: '10061(No connection could be made because the target machine"
    " actively refused it.)'.",
    "SvcF": "Dialog security is not available for this conversation because there is no remote service binding for the"
    " target service.  Create a remote service binding, or specify ENCRYPTION = OFF in the BEGIN DIALOG statement.",
    "SvcG": "The session keys for this conversation could not be created or accessed. The database master key is"
    " required for this operation.",
    "SvcB": "",
    "SvcH": f"{OPEN} information about Windows NT group/user 'CORP\\dba', error code 0x5.",
}


def pasted(statuses: dict[str, str]) -> bytes:
    rows = [f"{to}\t2024-05-01 10:00:00.000\t{text}" for to, text in statuses.items() for _ in range(5)]
    return "\n".join(["to_service_name\tenqueue_time\ttransmission_status", *rows, ""]).encode()


@pytest.mark.parametrize(
    ("service", "code", "step"),
    [
        ("SvcC", "connection-failed", "port of its Service Broker endpoint"),
        ("SvcF", "dialog-security", "CREATE REMOTE SERVICE BINDING"),
        ("SvcG", "dialog-security", "CREATE MASTER KEY"),
        ("SvcB", "not-acknowledged", "look at the way back"),
        ("SvcH", "not-enqueued", "ALTER AUTHORIZATION ON DATABASE::"),
    ],
)
def test_a_line_for_each_service_and_status(call: Call, tmp_path: Path, service: str, code: str, step: str) -> None:
    file, out = written(tmp_path, "five.tsv", pasted(STATUSES)), tmp_path / "a.json"
    answer = call("import-catalog", f"here/Sales={file}", "-o", out, "--at", "2024-05-02T12:30:00Z")
    shown = " ".join(STATUSES[service].split())
    status = f'"{shown}"' if shown else "no status."
    waits = f"5 messages to {service}: {status} The oldest waits since 2024-05-01T10:00:00Z, for 1 d 2 h at 2024-05-02T"
    (line,) = (line for line in answer.err.splitlines() if waits in line)
    assert step in line
    assert f"warning: {code} (" in answer.err
    assert answer.err.endswith("here/Sales: 25 messages in the transmission queue\n")
    assert answer.status == 0
    found = call("lint", out, "--at", "2024-05-02T12:30:00Z")
    assert line in found.out.splitlines(), "lint says the same of the document"


def test_statuses_that_need_a_person_and_that_do_not(call: Call, tmp_path: Path) -> None:
    statuses = {
        "A": "The Service Broker endpoint is in disabled or stopped state.",
        "B": "Connection handshake failed. The login 'CORP\\SQL1$' does not have CONNECT permission on the endpoint.",
        "C": 'The service queue "dbo.Q" is currently disabled.',
        "D": "Service Broker needs to access the master key in the database 'Sales'. Error code:32. The master key has"
        " to exist and the service master key encryption is required.",
        "E": "Die Dialogsicherheit ist f\u00fcr diese Konversation nicht verf\u00fcgbar.",
        "F": "Target queue is busy; message(s) queued for delivery.",
        "G": "NULL",
    }
    file = written(tmp_path, "seven.tsv", pasted(statuses))
    answer = call("import-catalog", f"here/Sales={file}", "-o", tmp_path / "a.json", "--format", "json")
    found = {one["object"]: one for one in json.loads(answer.err) if one["object"]}
    assert {name: (one["code"], one["severity"]) for name, one in found.items()} == {
        "A": ("endpoint-stopped", "warning"),
        "B": ("transport-security", "warning"),
        "C": ("queue-off", "warning"),
        "D": ("dialog-security", "warning"),
        "E": ("messages-wait", "warning"),
        "F": ("messages-wait", "info"),
        "G": ("not-acknowledged", "warning"),
    }
    assert "GRANT CONNECT ON ENDPOINT" in found["B"]["reason"]
    assert statuses["E"] in found["E"]["reason"]
    assert "This text is not in the catalogue." in found["E"]["reason"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (result()[:900], "is not complete: of its"),
        (b"nothing", "holds neither a result of collect-sql nor a grid of"),
        (GRID, "is a grid of sys.routes; name its database: NAME/DATABASE=FILE"),
    ],
)
def test_bad_input(call: Call, tmp_path: Path, content: bytes, expected: str) -> None:
    file, out = written(tmp_path, "1.txt", content), tmp_path / "out.json"
    good = written(tmp_path, "2.txt", result(HOST2))
    assert expected in refused(call("import-catalog", f"host2={good}", f"host1={file}", "-o", out))
    assert not out.exists()


def test_a_file_that_is_not_there(call: Call, tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refused(call("import-catalog", f"h={tmp_path / 'x'}"))


def test_a_file_that_is_too_large(call: Call, tmp_path: Path) -> None:
    file = written(tmp_path, "1.txt", result())
    assert "is larger than 100 bytes" in refused(call("import-catalog", f"h={file}", "--max-size", "100"))


@pytest.mark.parametrize("out", ["no/such/folder/e.json", ".", "\0"])
def test_an_output_that_cannot_be_written(call: Call, tmp_path: Path, out: str) -> None:
    file = written(tmp_path, "1.txt", result())
    answer = call("import-catalog", f"h={file}", "-o", f"{tmp_path}/{out}")
    assert "cannot be written" in refused(answer)
    assert [path.name for path in tmp_path.iterdir()] == ["1.txt"]


def test_a_full_disk_leaves_the_old_file(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    estate, file = written(tmp_path, "e.json", "old"), written(tmp_path, "1.txt", result())

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert refused(call("import-catalog", f"h={file}", "-o", estate)).endswith(
        "cannot be written: No space left on device"
    )
    assert estate.read_text(encoding="utf-8") == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_an_output_that_is_no_file(call: Call, tmp_path: Path) -> None:
    file = written(tmp_path, "1.txt", result())
    assert call("import-catalog", f"h={file}", "-o", "/dev/null").status == 0


@pytest.mark.parametrize(
    "text",
    ["", "host1", "=x", "host1=", "host1=,", "/db=x", "h@tcp:=x", "h@tcp://=x", "n" * 257 + "=x", f"h/{'d' * 129}=x"],
)
def test_bad_usage(call: Call, text: str) -> None:
    assert "argument NAME[/DATABASE][@ADDRESS]=FILE[,FILE]: " in misused(call("import-catalog", text))


def test_only_one_input_is_standard_input(call: Call) -> None:
    assert "only one input" in misused(call("import-catalog", "a=-,-"))
    assert "only one input" in misused(call("import-catalog", "a=-", "--into", "-"))


def test_sources() -> None:
    plain = instance_files("srv\\prod=C:\\a.txt,b=c.txt")
    assert (plain.instance, plain.database, plain.addresses) == ("srv\\prod", None, ())
    assert plain.files == ("C:\\a.txt", "b=c.txt")
    full = instance_files("s/a/b@c@TCP://x:5022=-")
    assert (full.instance, full.database, full.files) == ("s", "a/b@c", ("-",))
    assert [address.key for address in full.addresses] == ["tcp://x:5022"]


@pytest.mark.parametrize("command", [["collect-sql"], ["import-catalog", "h=-"]])
def test_as_a_process(command: list[str]) -> None:
    done = start(*command, stdin=result())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith((b"/*  What Service Broker is", b'{"format": "brokerui.estate/1"'))


@pytest.mark.parametrize("command", [["collect-sql"], ["import-catalog", "h=-"]])
def test_it_loads_no_framework(command: list[str]) -> None:
    program = (
        "import sys; from brokerui.cli.main import main; main(sys.argv[1:]); sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command], input=result(), capture_output=True, cwd=CHECKOUT, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stderr.decode().split()}
    assert "routing" in loaded
    assert not loaded & {"django", "celery", "pyspark", "babel"}


def test_an_estate_that_is_empty_is_no_error(call: Call, tmp_path: Path) -> None:
    empty = written(tmp_path, "e.json", write_estate(Estate()))
    file = written(tmp_path, "1.txt", result())
    assert list(read_estate(call("import-catalog", f"h={file}", "--into", empty).out).instances) == ["h"]
