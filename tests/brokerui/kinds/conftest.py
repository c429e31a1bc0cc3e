"""A desk: files in a folder, and the commands that are run on them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.brokerui.cli.command_line import Call, Result, call_with

AT = ("--at", "2026-11-01T00:00:00Z")


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder with files of a stranger, and `e.json`, the estate that the last import made."""

    folder: Path
    call: Call

    def put(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / f"{name}.sql").write_text(dedent(text), encoding="utf-8")

    def scripts(self, *given: str, **files: str) -> Result:
        """Import scripts; `files` are written first, each as NAME.sql, and belong to the instance of that name."""
        self.put(**files)
        sources = [word for word in given if "=" in word.partition(" ")[0]] or [f"{name}={name}.sql" for name in files]
        return self.call("import-sql", *sources, *AT, "-o", "e.json")

    def grid(self, text: str, of: str = "here/Sales") -> Result:
        (self.folder / "grid.txt").write_text(text, encoding="utf-8")
        return self.call("import-catalog", f"{of}=grid.txt", *AT, "-o", "e.json")

    def lint(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.call("lint", "e.json", *AT, "--format", "json").out)
        return found

    def codes(self) -> list[str]:
        return [f"{one['severity']} {one['code']}" for one in self.lint()]

    def explain(self, begin: str, to: str, *words: str) -> str:
        return self.call("explain", "e.json", "--from", begin, "--to", to, *AT, *words).out

    def routes(self) -> dict[str, str]:
        """By name: the addresses of all routes but AutoCreatedLocal."""
        document = json.loads((self.folder / "e.json").read_text(encoding="utf-8"))
        databases = [database for instance in document["instances"] for database in instance["databases"]]
        found = {route["name"]: route["address"] for database in databases for route in database["routes"]}
        return {name: address for name, address in found.items() if name != "AutoCreatedLocal"}


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, call_with(capsys, monkeypatch))
