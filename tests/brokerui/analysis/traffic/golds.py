"""Results of the pipeline as its jobs write them, without running a job."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.results.manifest import FORMAT
from pipeline.schemas import OUTCOMES

Json = dict[str, Any]
DELIVERED = [{"outcome": "delivered", "instance": "host2", "database": "Parts", "reason": None, "address": None}]
DELAYED = [{"outcome": "delayed", "instance": "host1", "database": None, "reason": "no_route", "address": None}]


def change(number: int = 1, **rest: Any) -> Json:
    """A row of the differential."""
    return {
        "from_instance": "host1",
        "from_database": "Orders",
        "to_service": f"Stock{number}",
        "to_broker_instance": None,
        "is_reply": False,
        "before": DELIVERED,
        "after": DELAYED,
        "verdict": "worse",
        "kind": "newly_delayed",
        "rows": 1,
        "messages": number,
        "bytes": 10 * number,
        **rest,
    }


def link(side: str = "before", **rest: Any) -> Json:
    """A row of the flow matrix."""
    return {
        "side": side,
        "from_instance": "host1",
        "from_database": None,
        **DELIVERED[0],
        "is_certain": True,
        "rows": 1,
        "messages": 2,
        "bytes": 3,
        **rest,
    }


def replayed(folder: Path, changes: list[Json] | None = None, *, started: str = "2026-03-01T12:00:00Z") -> Path:
    """The result of a `replay`."""
    tables = {"differential": [change()] if changes is None else changes, "flow_matrix": [link(), link("after")]}
    return gold(folder, "replay", tables, started=started)


def gold(folder: Path, job: str, tables: dict[str, list[Json]], *, started: str = "2026-03-01T12:00:00Z") -> Path:
    """A result with these tables, each in two files."""
    for name, rows in tables.items():
        (folder / name).mkdir(parents=True)
        half = len(rows) // 2
        for number, part in enumerate((rows[:half], rows[half:])):
            pq.write_table(_table(part, rows[0]), folder / name / f"part-{number}.parquet")
    write_record(folder, job, started)
    return folder


def write_record(folder: Path, job: str, started: str) -> None:
    """The record of a run that found what lies in the folder."""
    record = {
        "format": FORMAT,
        "job": job,
        "arguments": {"traffic": "traffic"},
        "started": started,
        "seconds": 1.5,
        "phases": {},
        "versions": {"spark": "4.3.0"},
        "inputs": [{"path": "/traffic/a.parquet", "size": 5, "modified": 1}],
        "counts": {"in": 10, "out": 9, "quarantined": 1},
        "reasons": {"unknown_entry": 1},
        **_manifest(folder),
    }
    (folder / "_run.json").write_text(json.dumps(record), encoding="utf-8")


def _manifest(folder: Path) -> Json:
    """The tables of the folder and of its summary, and the files that lie directly in it as its rows."""
    tables: dict[str, list[Json]] = {}
    for path in sorted(folder.rglob("*.parquet")):
        tables.setdefault("rows" if path.parent == folder else path.parent.name, []).append(_about(path, folder))
    return {"tables": {name: {"rows": sum(one["rows"] for one in of), "files": of} for name, of in tables.items()}}


def _about(path: Path, folder: Path) -> Json:
    """What a record says of a file; of rows it has no digest."""
    rows = pq.read_metadata(path).num_rows
    about = {"path": path.relative_to(folder).as_posix(), "rows": rows, "bytes": path.stat().st_size}
    return about if path.parent == folder else {**about, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def _table(rows: list[Json], like: Json) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], _type(name, value)) for name, value in like.items()})


def _type(name: str, value: Any) -> pa.DataType:
    if name in ("before", "after", "outcomes"):
        return OUTCOMES
    kinds = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), datetime: pa.timestamp("us", "UTC")}
    return kinds.get(type(value), pa.string())
