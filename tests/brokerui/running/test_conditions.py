"""What can go wrong with an installation: the same line at the start, in the log, in `status` and by the checks."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from asgiref.sync import async_to_sync
from django.core.checks import run_checks
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import AsyncClient, Client

from brokerui.core import disk_space, newer_database, tasks
from brokerui.core.conditions import RefusedConditionError, conditions, conditions_to_run_in
from brokerui.core.disk_space import Volume
from brokerui.core.home import CHECKOUT
from brokerui.core.redis_url import redis_url
from brokerui.estate.models import Database, Instance
from brokerui.messaging.keys.models import DatabaseKey
from brokerui.messaging.keys.selectors import security_of, undecryptable_keys
from brokerui.messaging.keys.services import key_make, peer_take
from brokerui.running.condition_at_start import may_start
from brokerui.running.log_merge import LogMerge
from brokerui.running.logs import ProcessLog
from routing.common.errors import Invalid
from tests.brokerui.homes import MakeHome
from tests.brokerui.messaging.endpoint.conftest import one_valkey, valkey
from tests.brokerui.messaging.endpoint.valkey import Valkey
from tests.brokerui.product import (
    START_SECONDS,
    command,
    environment,
    eventually,
    free_port,
    processes_of,
    running,
    start,
)

__all__ = ["one_valkey", "valkey"]

NAMES = "estate.9999_later, later.0001_initial"
NEWER = f"Newer code has migrated the database: this code does not know {NAMES}."


def ids() -> list[str]:
    return [one.id for one in conditions()]


@pytest.fixture
def home(db: Any, settings: Any, tmp_path: Path) -> Path:
    settings.HOME, settings.KEYS_SECRET = tmp_path, ""
    settings.REDIS_URL = redis_url("", tmp_path)
    settings.SPACE_LOW_BYTES = settings.SPACE_LEAST_BYTES = 0
    return tmp_path


# ---------------------------------------------------------------- a database of newer code
def test_migrations_of_newer_code_are_named_and_refused(home: Path) -> None:
    assert conditions_to_run_in() == ()
    for app, name in (("later", "0001_initial"), ("estate", "9999_later")):
        MigrationRecorder(connection).record_applied(app, name)
    with pytest.raises(RefusedConditionError) as raised:
        conditions_to_run_in()
    assert str(raised.value).startswith(NEWER)
    assert [one.id for one in run_checks(databases=["default"])].count("brokerui.E014") == 1


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory, make_home: MakeHome) -> Path:
    """A home whose database newer code has migrated."""
    home = make_home(tmp_path_factory.mktemp("newer"))
    with closing(sqlite3.connect(home / "brokerui.sqlite3")) as database, database:
        for row in (("later", "0001_initial"), ("estate", "9999_later")):
            database.execute("INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2030-01-01')", row)
    return home


SAME_START = pytest.mark.thorough("Each process asks the same conditions before it begins.")


@pytest.mark.parametrize("process", ["worker", *(pytest.param(one, marks=SAME_START) for one in ("beat", "endpoint"))])
def test_each_process_refuses_a_newer_database_in_one_line(newer: Path, process: str) -> None:
    ended = command(newer, process)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"error: {NEWER}")
    assert ended.stderr.count("\n") == 1


def test_the_start_commands_and_status_refuse_a_newer_database(newer: Path) -> None:
    before = (newer / "brokerui.sqlite3").read_bytes()
    ended = start(newer, PORT=str(free_port()))
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.startswith(f"error: the home cannot be made ready: {NEWER}")
    hosted = command(newer, "host", "A", "--listen", "tcp://127.0.0.1:7001")
    assert (hosted.returncode, hosted.stderr) == (
        4,
        "error: the database: newer code has migrated it: estate.9999_later, later.0001_initial\n",
    )
    found = json.loads(command(newer, "status", "--json").stdout)
    assert found["well"] is False
    assert found["database_problem"] == "newer code has migrated it: estate.9999_later, later.0001_initial"
    assert [one["id"] for one in found["conditions"]] == ["brokerui.E014"]
    assert (newer / "brokerui.sqlite3").read_bytes() == before, "nothing was written"


def test_gunicorn_alone_refuses_each_request_and_names_the_migrations(newer: Path) -> None:
    before, port = (newer / "brokerui.sqlite3").read_bytes(), free_port()
    words = [Path(sys.executable).with_name("gunicorn"), "brokerui.wsgi", "--bind", f"127.0.0.1:{port}"]
    with subprocess.Popen(words, cwd=CHECKOUT, env=environment(newer), stderr=subprocess.PIPE, text=True) as web:
        try:
            page = eventually(lambda: answer_of(f"http://127.0.0.1:{port}/"), START_SECONDS)
            problem = eventually(lambda: answer_of(f"http://127.0.0.1:{port}/api/v1/estate/"), 60)
        finally:
            web.terminate()
        _, web_log = web.communicate(timeout=60)
    assert (page[0], NAMES in page[1]) == (503, True)
    assert (problem[0], json.loads(problem[1])["code"]) == (503, "newer_database")
    assert any(
        " 503 " in line and line.endswith(f"this code does not know {NAMES}") for line in web_log.splitlines()
    ), web_log
    assert (newer / "brokerui.sqlite3").read_bytes() == before, "nothing was written"


def answer_of(url: str) -> tuple[int, str] | None:
    """None: nothing listens there yet."""
    try:
        with urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        return refused.code, refused.read().decode()
    except URLError:
        return None


@pytest.fixture
def later(db: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Newer code migrates the database while this process runs, which looks at each request."""
    monkeypatch.setattr(newer_database, "EVERY_S", 0)
    MigrationRecorder(connection).record_applied("later", "0001_initial")
    yield
    MigrationRecorder(connection).record_unapplied("later", "0001_initial")


def test_requests_are_refused_until_the_database_is_this_code_s_again(later: None, client: Client) -> None:
    refused = client.get("/")
    assert (refused.status_code, "does not know later.0001_initial" in refused.content.decode()) == (503, True)
    posted = client.post("/api/v1/instances/A/", {}, content_type="application/json")
    assert (posted.status_code, posted.json()["code"]) == (503, "newer_database")
    assert (client.get("/healthz").status_code, client.get("/readyz").json()["problem"]) == (
        200,
        "newer code has migrated it: later.0001_initial",
    )
    MigrationRecorder(connection).record_unapplied("later", "0001_initial")
    assert client.get("/").status_code != 503


def test_a_database_that_does_not_answer_is_no_newer_one(later: None, client: Client, monkeypatch: Any) -> None:
    def fail() -> None:
        raise DatabaseError

    monkeypatch.setattr(newer_database, "newer_migrations", fail)
    assert client.get("/").status_code != 503


@pytest.mark.django_db(transaction=True)
def test_asgi_refuses_as_well(later: None) -> None:
    with ThreadPoolExecutor(1) as pool:  # a loop may run in this thread: Playwright's does, once a browser was used
        refused = pool.submit(async_to_sync(AsyncClient().get), "/").result()
    assert (refused.status_code, "does not know later.0001_initial" in refused.content.decode()) == (503, True)


# ---------------------------------------------------------------- keys
@pytest.fixture
def keyed(home: Path) -> Path:
    """The instance A with key pairs of two databases, and a binding of one."""
    row = Instance.objects.create(name="A", hosted=True, position=0)
    for position, name in enumerate(("Orders", "Parts")):
        Database.objects.create(instance=row, name=name, position=position)
    publics = [key_make(instance="A", database=name, author="ann") for name in ("Orders", "Parts")]
    peer_take(instance="A", database="Orders", service="To", public=publics[1], author="ann")
    return home


def change_secret(home: Path, content: str | None) -> None:
    (home / "keys.secret").unlink()
    if content is not None:
        (home / "keys.secret").write_text(content)


@pytest.mark.parametrize("content", [None, "", "another secret", "ungültig"])
def test_keys_of_another_secret_are_told_and_wait(keyed: Path, content: str | None) -> None:
    assert (undecryptable_keys(), ids()) == ([], [])
    change_secret(keyed, content)
    (found,) = conditions()
    assert (found.id, found.is_well, found.is_refused) == ("brokerui.W012", False, False)
    assert found.text.startswith("The stored key pairs of A/Orders, A/Parts cannot be decrypted: ")
    security = security_of("A")
    for encryption in (True, False):
        assert security.protection("Orders", "To", encryption) is None, "it waits, and goes nowhere unprotected"
    assert security.protection("Orders", "Other", False) is not None, "no binding protects it"


@pytest.mark.parametrize("content", [None, ""])
def test_no_new_secret_is_made_while_encrypted_keys_are_stored(keyed: Path, content: str | None) -> None:
    secret = (keyed / "keys.secret").read_text()
    change_secret(keyed, content)
    for database, replace in (("Orders", True), ("Third", False)):
        with pytest.raises(Invalid, match=r"put keys\.secret back"):
            key_make(instance="A", database=database, author="ann", replace=replace)
    assert undecryptable_keys() == ["A/Orders", "A/Parts"]
    assert DatabaseKey.objects.count() == 2
    (keyed / "keys.secret").write_text(secret)
    assert undecryptable_keys() == []


def test_a_lost_secret_is_got_over_as_the_check_says(keyed: Path, settings: Any) -> None:
    change_secret(keyed, None)
    settings.KEYS_SECRET = "a new one"
    for database in ("Orders", "Parts"):
        key_make(instance="A", database=database, author="ann", replace=True)
    assert (undecryptable_keys(), ids()) == ([], [])
    assert not (keyed / "keys.secret").exists()


# ---------------------------------------------------------------- Redis
def test_foreign_data_in_redis_is_information(home: Path, valkey: Valkey, settings: Any) -> None:
    settings.REDIS_URL = valkey.url
    assert ids() == []
    with valkey.client() as client:
        client.set("unacked", "of another program")
        (found,) = conditions()
        assert (found.id, found.is_well, found.is_refused) == ("brokerui.I002", True, False)
        assert found.text.startswith(
            "Keys of the product in Redis held data of another program, which was put aside: unacked ("
        )
        assert client.get("brokerui:aside:unacked") == b"of another program"
        client.delete("brokerui:aside", "brokerui:aside:unacked")
    assert ids() == [], "as the hint says"


# ---------------------------------------------------------------- while it runs
def test_what_comes_later_is_one_line_of_the_log_until_it_has_gone(
    home: Path, valkey: Valkey, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = valkey.url

    def lines() -> int:
        caplog.clear()
        tasks.conditions_look()
        return len(caplog.records)

    assert lines() == 0
    settings.SPACE_LEAST_BYTES = 1 << 60
    assert [lines(), lines(), lines()] == [1, 0, 0]
    settings.SPACE_LEAST_BYTES = 0
    assert lines() == 0
    settings.SPACE_LEAST_BYTES = 1 << 60
    assert [lines(), lines()] == [1, 0]
    with valkey.client() as client:
        client.expire("brokerui:conditions", 1000)
        assert lines() == 0
        assert client.ttl("brokerui:conditions") <= 1000, "it is said again after a day"


def test_what_was_said_at_the_start_is_not_said_again(
    home: Path, valkey: Valkey, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL, settings.SPACE_LEAST_BYTES = valkey.url, 1 << 60
    assert may_start()
    assert len(caplog.records) == 1
    tasks.conditions_look()
    assert len(caplog.records) == 1


# ---------------------------------------------------------------- space
def test_little_space_is_information_and_hardly_any_is_not_well(home: Path, settings: Any) -> None:
    settings.SPACE_LOW_BYTES = 1 << 60
    (found,) = conditions()
    assert (found.id, found.is_well) == ("brokerui.I001", True)
    settings.SPACE_LEAST_BYTES = 1 << 60
    (found,) = conditions()
    assert (found.id, found.is_well) == ("brokerui.W013", False)
    assert str(home) in found.text


def test_a_volume_without_files_left_is_full(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Volume(home, 1 << 40, 1 << 41, has_files_left=False)
    monkeypatch.setattr("brokerui.core.checks.volumes", lambda: (full,))
    (found,) = conditions()
    assert found.text.startswith(
        f"Hardly any space is left in {home}: 1,048,576 MB of 2,097,152 MB are free, and no more files can be made."
    )


def test_the_volumes_are_those_of_all_folders_that_are_written_to(home: Path, settings: Any) -> None:
    assert [volume.folder for volume in disk_space.volumes()] == [home]
    settings.EVENT_LOG, settings.EVENT_LOG_FOLDER = True, Path("/dev/shm/not made yet")
    settings.PIPELINE_FOLDER = home / "pipeline"
    assert [volume.folder for volume in disk_space.volumes()] == [home, Path("/dev/shm")]


@pytest.mark.slow
@pytest.mark.thorough("the start, the log and `status` ask the same conditions, each in a test above")
def test_the_start_the_log_and_status_say_the_same_line(tmp_path: Path, make_home: MakeHome) -> None:
    with running(make_home(tmp_path), DEMO="0", SPACE_LEAST_BYTES=str(1 << 60)) as product:
        (line,) = eventually(lambda: product.complained)
        assert line.startswith(f"Hardly any space is left in {tmp_path}: ")
        found = product.status(SPACE_LEAST_BYTES=str(1 << 60))
        (condition,) = found["conditions"]
        assert (found["well"], condition["is_well"], condition["id"]) == (False, False, "brokerui.W013")
        assert condition["text"].partition(": ")[0] == line.partition(": ")[0]
        lines = eventually(lambda: "Hardly" in (log := (tmp_path / "log/all.log").read_text()) and log.splitlines())
        assert len([each for each in lines if "Hardly" in each]) == 1, "one line, whatever processes there are"
        result = command(tmp_path, "status").stdout
        assert f"space      {tmp_path}: " in result
        assert product.stop() == 0


@contextmanager
def full() -> Iterator[None]:
    """No file grows any more, as on a full volume: the system refuses each write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_volume_keeps_no_log_from_going_on_afterwards(tmp_path: Path) -> None:
    log, together = ProcessLog(tmp_path, "web"), LogMerge(tmp_path)
    log.write("before")
    with full():
        log.write("not kept")
        together.follow(log)
    log.write("after")
    together.follow(log)
    lines = (tmp_path / "log" / "all.log").read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["before", "after"]
    with full():
        log.bound(limit=1)
    assert log.path.read_text() == ""
    assert not log.path.with_suffix(".log.1").exists()


def test_a_start_on_a_full_volume_is_one_clear_line(tmp_path: Path) -> None:
    with full():
        ended = subprocess.run(
            [sys.executable, "-m", "brokerui.running.up"],
            cwd=CHECKOUT,
            env=environment(tmp_path, PORT=str(free_port())),
            capture_output=True,
            text=True,
            check=False,
        )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "error: the home cannot be made ready: [Errno 27] File too large\n"
    assert processes_of(tmp_path) == []
