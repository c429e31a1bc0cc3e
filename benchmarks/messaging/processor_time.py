"""Where the processor time of two deployments goes: by process, by layer of the code, by statement."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.acceptance.deployments import Application, Deployment

TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
MASTER: Final = "masters of Celery"
LAYERS: Final = (
    ("engine", ("routing/",)),
    ("store", ("brokerui/messaging/store/",)),
    ("endpoint", ("brokerui/messaging/endpoint/",)),
    ("exchange by Redis", ("brokerui/messaging/exchange/", "redis/")),
    ("event log", ("brokerui/eventlog/",)),
    ("verbs and workers", ("brokerui/messaging/",)),
    ("rest of the product", ("brokerui/",)),
    ("driver", ("psycopg/", "psycopg_binary/")),
    ("Django", ("django/",)),
    ("Celery", ("celery/", "kombu/", "billiard/", "vine/", "amqp/")),
    ("application", ("tests/",)),
)
OTHER: Final = "other code"


def parts_of(deployments: Iterable[Deployment], server: int | None) -> dict[int, str]:
    """The part of a deployment that a process and those that it starts belong to, by the process's number."""
    parts = {server: "PostgreSQL"} if server else {}
    for one in deployments:
        parts[one.product.process.pid] = "supervisors"
        parts |= {pid: _part(one.instance, name) for name, pid in one.product.pids().items()}
    return parts


def _part(instance: str, name: str) -> str:
    return f"{name} of {'sender' if instance == 'A' else 'receiver'}"


def with_applications(parts: Mapping[int, str], **applications: Iterable[Application]) -> dict[int, str]:
    """The parts, and those of applications by their name."""
    return {**parts, **{one.process.pid: name for name, some in applications.items() for one in some}}


def seconds(parts: Mapping[int, str]) -> Counter[str]:
    """Processor time of all living processes of each part since they began, in seconds."""
    table = {int(folder.name): _stat(folder) for folder in Path("/proc").glob("[0-9]*")}
    spent = Counter[str]()
    for pid, (_, took) in table.items():
        root = pid
        while root not in parts and root in table and table[root][0]:
            root = table[root][0]
        if root in parts:
            is_master = root == pid and parts[root].startswith("worker")
            spent[MASTER if is_master else parts[root]] += took  # type: ignore[assignment]  # typeshed knows whole counts alone
    return spent


def _stat(folder: Path) -> tuple[int, float]:
    """The number of its parent, and its processor time in seconds; zeroes where it has just ended."""
    try:
        values = (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0.0
    return int(values[1]), (int(values[11]) + int(values[12])) * TICK_S


def samples(folder: Path) -> Counter[str]:
    """Return the counts of the samplers of all processes so far, by file and function."""
    counts = Counter[str]()
    for file in folder.glob("*.json"):
        counts.update(json.loads(file.read_text()))
    return counts


def by_layer(counts: Mapping[str, int]) -> Counter[str]:
    """The share of each layer, in all 1."""
    total, shares = sum(counts.values()), Counter[str]()
    for code, count in counts.items():
        shares[_layer(code)] += count / total  # type: ignore[assignment]  # the same
    return shares


def _layer(code: str) -> str:
    return next((name for name, places in LAYERS if code.startswith(places)), OTHER)
