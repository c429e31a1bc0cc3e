"""The files of `deploy/`: the system takes the units, compose the file, and no secret is in either."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from brokerui.cli import main
from brokerui.core.home import CHECKOUT

DEPLOY = CHECKOUT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PROGRAM = re.compile(r"/opt/brokerui/\.venv/bin/\w+")
HARDENED = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "CapabilityBoundingSet": "",
    "UMask": "0077",
    "User": "brokerui",
}
OFFICIAL = re.compile(r"[a-z]+(:[\w.-]+)?")
"""An image without the address of a registry, and without the name of a publisher."""


class Many(dict[str, Any]):
    """All values of an option that occurs several times."""

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, list) and key in self:
            value = [*self[key], *value]
        super().__setitem__(key, value)


def unit(path: Path) -> dict[str, str]:
    parser = RawConfigParser(strict=False, dict_type=Many, interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign,assignment]  # the way that its documentation tells
    parser.read(path)
    return dict(parser["Service"])


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text()))


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_is_hardened_and_starts_a_program_that_there_is(path: Path) -> None:
    service = unit(path)
    assert {name: service.get(name, "missing") for name in HARDENED} == HARDENED
    assert service["EnvironmentFile"] == "/etc/brokerui/brokerui.env"
    words = service["ExecStart"].split()
    assert PROGRAM.fullmatch(words[0])
    if words[0].endswith("/brokerui"):
        assert _takes(words[1:])


def _takes(words: list[str]) -> bool:
    """Whether the command line has such a command, with such options."""
    ran = subprocess.run(
        [sys.executable, "-m", main.__name__, *words, "--help"], cwd=CHECKOUT, capture_output=True, check=False
    )
    return ran.returncode == 0


def test_each_process_has_a_unit_and_a_service() -> None:
    processes = {"web", "worker", "beat", "endpoint", "pipeline"}
    assert {path.stem.removeprefix("brokerui-").rstrip("@") for path in UNITS} == processes
    assert processes | {"postgres", "redis", "prepare"} == set(compose()["services"])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_understands_a_unit(path: Path, tmp_path: Path) -> None:
    copied = tmp_path / path.name
    copied.write_text(PROGRAM.sub(sys.executable, path.read_text()))
    ran = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", copied], capture_output=True, text=True, check=False, timeout=300
    )
    ours = [line for line in ran.stderr.splitlines() if "brokerui" in line.partition(":")[0]]
    assert ours == []


def test_compose_starts_what_there_is_and_only_official_images() -> None:
    services = compose()["services"]
    for name, service in services.items():
        assert OFFICIAL.fullmatch(service["image"]), name
        for other in service.get("depends_on", {}):
            assert other in services
        program, *words = service.get("command", [""])
        assert program != "brokerui" or _takes(words)
        own = service["image"] == "brokerui"
        assert not own or (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


def test_no_secret_is_written_down() -> None:
    example = (DEPLOY / "brokerui.env.example").read_text()
    for name in ("SECRET_KEY", "KEYS_SECRET", "POSTGRES_PASSWORD"):
        assert re.search(rf"^{name}=$", example, re.MULTILINE), name
    passwords = re.findall(r"POSTGRES_PASSWORD: (.*)|brokerui:(.*)@postgres", (DEPLOY / "compose.yaml").read_text())
    assert passwords
    assert all("${POSTGRES_PASSWORD:?" in "".join(found) for found in passwords)
    ignored = subprocess.run(["git", "check-ignore", "deploy/.env"], cwd=CHECKOUT, capture_output=True, check=False)
    assert ignored.returncode == 0
