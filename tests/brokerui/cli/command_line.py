"""The command line as its tests use it: called in this process, or started as users start it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from brokerui.cli.main import main
from brokerui.core.home import CHECKOUT

Json = dict[str, Any]
AT = ("--at", "2026-06-01")
ORDERS_ID, PARTS_ID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "81b1d3d0-288e-4d2c-b1d3-456cbb944b4f"


class Result(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str


Call = Callable[..., Result]


def call_with(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """The command in this process; `stdin` is what it finds on standard input."""

    def call(*arguments: object, stdin: str | bytes = b"") -> Result:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return Result(_status([str(argument) for argument in arguments]), *capsys.readouterr())

    return call


def _status(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:  # argparse, for bad usage; a text for a code would exit with 1
        return end.code if isinstance(end.code, int) else 1


def start(*arguments: object, stdin: bytes = b"", **rest: Any) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "brokerui.cli.main", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=CHECKOUT, check=False, timeout=300, **rest)


def refused(result: Result) -> str:
    """The one line that bad input gets; nothing else was written, and the status is 4."""
    assert (result.status, result.out) == (4, "")
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    return result.err.removeprefix("error: ").rstrip("\n")


def misused(result: Result) -> str:
    """The error about bad usage, at the end of the usage; the status is 2."""
    assert (result.status, result.out) == (2, "")
    return result.err.splitlines()[-1]


# ---------------------------------------------------------------- files


def route(name: str, address: str = "LOCAL", service: str | None = None, **rest: Any) -> Json:
    return {"name": name, "remote_service_name": service, "address": address, **rest}


def document(*orders_routes: Json) -> Json:
    """Orders on host1 sends to Parts on host2, as far as its routes say; host2 delivers what arrives."""
    orders = {"name": "Orders", "broker_instance": ORDERS_ID, "services": ["Entry"], "routes": list(orders_routes)}
    parts = {"name": "Parts", "broker_instance": PARTS_ID, "services": ["Stock"]}
    arriving = [route("Auto"), route("Back", "tcp://host1.example", "Entry")]
    host1 = {"name": "host1", "addresses": ["tcp://host1.example"], "databases": [orders, msdb(route("Auto"))]}
    host2 = {"name": "host2", "addresses": ["tcp://host2.example"], "databases": [parts, msdb(*arriving)]}
    return {"format": "brokerui.estate/1", "instances": [host1, host2]}


def msdb(*routes: Json) -> Json:
    return {"name": "msdb", "routes": list(routes)}


TO_PARTS = route("ToParts", "tcp://host2.example", "Stock")
LOST = document(route("Auto"))
FOUND = document(route("Auto"), TO_PARTS)


def written(folder: Path, name: str, content: Any) -> Path:
    """A file with this text, these bytes, this document, or these objects as JSON lines."""
    path = folder / name
    if isinstance(content, list):
        content = "".join(json.dumps(line) + "\n" for line in content)
    elif isinstance(content, Mapping):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def question(to: str = "Stock", **rest: Any) -> Json:
    """A conversation begun in Orders."""
    return {"id": "c1", "from": {"instance": "host1", "database": "Orders"}, "to_service": to, **rest}


# ---------------------------------------------------------------- golden files

GOLDEN = Path(__file__).parent / "golden"


def is_golden(name: str, text: str) -> bool:
    """Return whether the file of this name holds the text; UPDATE_GOLDEN=1 writes changed texts into the files."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8") == text
