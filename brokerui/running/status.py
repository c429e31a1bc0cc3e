"""Checks whether the product of this home runs and is well: asks the home, the database and Redis, not the web."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from redis import RedisError

from brokerui.core.conditions import Condition, conditions
from brokerui.core.disk_space import server_database_bytes, volumes
from brokerui.core.heartbeat import heartbeat_is_late, heartbeat_last
from brokerui.core.migration_state import migration_state
from brokerui.core.redis_url import without_password
from brokerui.estate.selectors import live_version
from brokerui.running.lock import RunningProcess, is_alive, state_of


@dataclass(frozen=True, slots=True)
class ProcessStatus:
    """A process that `up` started."""

    name: str
    pid: int
    is_alive: bool
    restarts: int


@dataclass(frozen=True, slots=True)
class VolumeStatus:
    """Free and total space of a volume that the product writes to."""

    folder: str
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Status:
    """The result of a check."""

    home: str
    address: str | None
    """Address of the web; None where `up` does not run in this home."""
    processes: tuple[ProcessStatus, ...]
    redis: str
    redis_problem: str | None
    database_problem: str | None
    live_version: int | None
    worker_seen: datetime | None
    """When a worker last did something."""
    worker_is_late: bool
    conditions: tuple[Condition, ...]
    """Further conditions of database, keys, Redis and volumes."""
    volumes: tuple[VolumeStatus, ...]
    server_database_bytes: int | None
    """Size of the database on its server; None: it is a file, in one of the volumes, or the server does not say."""

    @property
    def is_well(self) -> bool:
        """Whether everything works. Where the processes are not run by `up`, the heartbeat of the worker counts."""
        problems = self.redis_problem or self.database_problem or self.worker_is_late
        is_well = all(process.is_alive for process in self.processes) and all(one.is_well for one in self.conditions)
        return not problems and is_well

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        seen = self.worker_seen.isoformat(timespec="seconds") if self.worker_seen else None
        return {"well": self.is_well, **asdict(self), "worker_seen": seen}


def status() -> Status:
    """Check now; takes a few seconds at most."""
    running = state_of(settings.HOME)
    redis_problem, seen = _redis()
    database_problem, version = _database()
    return Status(
        home=str(settings.HOME),
        address=running.address if running else None,
        processes=tuple(map(_process, running.processes)) if running else (),
        redis=without_password(settings.REDIS_URL),
        redis_problem=redis_problem,
        database_problem=database_problem,
        live_version=version,
        worker_seen=seen,
        worker_is_late=heartbeat_is_late(seen),
        conditions=conditions(),
        volumes=tuple(VolumeStatus(str(one.folder), one.free_bytes, one.total_bytes) for one in volumes()),
        server_database_bytes=None if database_problem else server_database_bytes(),
    )


def _process(running: RunningProcess) -> ProcessStatus:
    return ProcessStatus(running.name, running.pid, is_alive(running.pid), running.restarts)


def _redis() -> tuple[str | None, datetime | None]:
    try:
        return None, heartbeat_last()
    except (RedisError, ValueError) as error:
        return str(error), None


def _database() -> tuple[str | None, int | None]:
    """Return the problem of the database, and the version of its live estate."""
    try:
        problem = migration_state().problem
        return problem, None if problem else live_version()
    except DatabaseError as error:
        return str(error), None
