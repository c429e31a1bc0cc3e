"""What `up` is made of, each by itself: lock, child, log, minder, Valkey's place; and `status`, worker and clean-up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.contrib.sessions.models import Session
from django.utils import timezone
from redis import RedisError

from brokerui.accounts.services import expired_delete
from brokerui.core import checks, heartbeat, reaper, tasks, valkey
from brokerui.core.redis_url import SOCKET_PATH_MAX, is_own, redis_url, socket_path, without_password
from brokerui.running import up
from brokerui.running.child import RESTART_BACKOFF, STEADY_S, Child, Program
from brokerui.running.lock import HomeLock, ProductState, RunningProcess, state_of
from brokerui.running.logs import ProcessLog
from brokerui.running.report import Reports, report
from brokerui.running.supervisor import Supervisor
from routing.common.errors import Invalid
from tests.brokerui.product import command, eventually

SLEEPER = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPER}"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {STUBBORN!r}])"


def child(home: Path, code: str) -> Child:
    return Child(Program("one", (sys.executable, "-c", code), dict(os.environ)), ProcessLog(home, "one"))


def is_there(group: int) -> bool:
    return reaper.signal_group(group, 0)


# -- Lock --------------------------------------------------------------------------------------------------


def test_a_home_is_locked_once_and_says_what_runs(tmp_path: Path) -> None:
    lock = HomeLock(tmp_path)
    lock.take()
    state = ProductState(os.getpid(), "http://127.0.0.1:8000/", (RunningProcess("web", 7, 2),))
    assert state_of(tmp_path) is None
    lock.write(state)
    assert state_of(tmp_path) == state
    with pytest.raises(Invalid, match=r"runs in .* already, as process \d+: http://127.0.0.1:8000/"):
        HomeLock(tmp_path).take()
    lock.release()
    assert state_of(tmp_path) is None
    HomeLock(tmp_path).take()


def test_what_a_killed_one_left_is_not_what_runs(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "up.json").write_text('{"pid": 1, "address": "http://old/", "processes": []}')
    assert state_of(tmp_path) is None
    HomeLock(tmp_path).take()
    assert not (tmp_path / "run" / "up.json").exists()


def test_the_next_one_waits_until_nothing_is_left(tmp_path: Path) -> None:
    first = HomeLock(tmp_path)
    first.take()
    left = os.dup(first.shared)
    first.release()
    with pytest.raises(Invalid, match="is still stopping"):
        HomeLock(tmp_path).take(patience=0.2)
    os.close(left)
    HomeLock(tmp_path).take(patience=0.2)


# -- Child -------------------------------------------------------------------------------------------------


def test_what_fails_again_and_again_waits_longer_each_time(tmp_path: Path) -> None:
    one = child(tmp_path, "")
    one.begun = time.monotonic()
    pauses = [one.schedule() for _ in range(12)]
    assert pauses == sorted(pauses)
    assert pauses[0] < 1
    assert pauses[-1] == RESTART_BACKOFF.max_s
    one.begun = time.monotonic() - STEADY_S - 1
    assert one.schedule() == pauses[0], "it ran well in between"
    assert one.restarts == 13


def test_a_process_that_ends_leaves_nobody_of_its_own(tmp_path: Path) -> None:
    one = child(tmp_path, PARENT)
    one.start()
    group = one.pid
    eventually(lambda: one.log.tail() == "up")
    assert one.ended() is None
    os.kill(group, signal.SIGKILL)
    assert eventually(one.ended) == -signal.SIGKILL
    eventually(lambda: not is_there(group))


def test_who_does_not_end_is_killed(tmp_path: Path) -> None:
    one = child(tmp_path, STUBBORN)
    one.start()
    group = one.pid
    eventually(lambda: one.log.tail() == "up")
    one.ask_to_end()
    one.end(time.monotonic() + 0.3)
    eventually(lambda: not is_there(group))


def test_a_log_does_not_grow_without_bound_and_goes_on(tmp_path: Path) -> None:
    log = ProcessLog(tmp_path, "one")
    writer = log.open()
    os.write(writer, b"x" * 100)
    log.bound(limit=100)
    assert not (tmp_path / "log" / "one.log.1").exists()
    os.write(writer, b"y")
    log.bound(limit=100)
    os.write(writer, b"next\n")
    os.close(writer)
    assert log.path.read_text() == "next\n"
    assert (tmp_path / "log" / "one.log.1").stat().st_size == 101
    assert log.path.stat().st_mode & 0o077 == 0


# -- Minder ------------------------------------------------------------------------------------------------


def test_the_minder_ends_what_is_left_once_its_pipe_ends() -> None:
    def sleeper(code: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, start_new_session=True)

    left, ended = sleeper(SLEEPER), sleeper(SLEEPER)
    watcher = subprocess.Popen([sys.executable, "-m", "brokerui.core.reaper"], stdin=subprocess.PIPE)
    assert watcher.stdin is not None
    watcher.stdin.write(f"{left.pid}\n{ended.pid}\n-{ended.pid}\n".encode())
    watcher.stdin.flush()
    watcher.stdin.close()
    assert left.wait(10) == -signal.SIGTERM
    assert watcher.wait(10) == 0
    assert ended.poll() is None
    ended.kill()
    ended.wait()


def test_the_minder_kills_who_does_not_end(tmp_path: Path) -> None:
    one = child(tmp_path, STUBBORN)
    one.start()
    eventually(lambda: one.log.tail() == "up")
    group = one.pid
    reaper.end_groups([group], grace=0.2)
    assert eventually(one.ended) == -signal.SIGKILL


def test_reports_arrive_whole(tmp_path: Path) -> None:
    reports = Reports()
    assert reports.read() == []
    os.write(reports.writer, b'{"kind": "prep')
    assert reports.read() == []
    os.write(reports.writer, b'ared"}\n')
    report(reports.writer, "ready", more=1)
    assert reports.read() == [{"kind": "prepared"}, {"kind": "ready", "more": 1}]


# -- Valkey ------------------------------------------------------------------------------------------------


def test_the_socket_is_in_the_home_unless_its_path_is_too_long(tmp_path: Path) -> None:
    assert socket_path(Path("/srv/home")) == Path("/srv/home/valkey/valkey.sock")
    long, other = tmp_path / ("x" * 200), tmp_path / ("y" * 200)
    assert len(str(socket_path(long))) <= SOCKET_PATH_MAX
    assert socket_path(long) != socket_path(other)


def test_the_folder_of_the_socket_is_for_nobody_else(tmp_path: Path) -> None:
    folder = tmp_path / "valkey"
    folder.mkdir(mode=0o755)
    valkey.folder_prepare(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(Invalid, match="is not a folder of our own"):
        valkey.folder_prepare(tmp_path / "link")


def test_valkey_listens_at_its_socket_only_keeps_nothing_and_is_bounded(tmp_path: Path) -> None:
    words = valkey.valkey_command(tmp_path)
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert (options["--port"], options["--save"], options["--appendonly"]) == ("0", "", "no")
    assert (options["--maxmemory"], options["--maxmemory-policy"]) == ("64mb", "noeviction")


def supervisor(home: Path) -> Supervisor:
    found = up._supervisor(home, HomeLock(home), "127.0.0.1", 0)
    for descriptor in found.web.descriptors:
        os.close(descriptor)
    return found


def test_nobody_is_told_more_than_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.setenv("BROKERUI_ADMIN_PASSWORD", "a secret")
    monkeypatch.setenv("SECRET_KEY", "another")
    (tmp_path / "run").mkdir()
    found = supervisor(tmp_path)
    (store,) = found.first
    assert store.name == "valkey"
    assert set(store.environment) <= {"PATH", "LD_LIBRARY_PATH", "TZ"}
    assert found.web.environment["BROKERUI_ADMIN_PASSWORD"] == "a secret"
    for program in found.then:
        assert "BROKERUI_ADMIN_PASSWORD" not in program.environment
        assert program.environment["BROKERUI_HOME"] == str(tmp_path)


def test_a_redis_of_ones_own_is_used_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert supervisor(tmp_path).first == []


# -- Checks ------------------------------------------------------------------------------------------------


def test_a_redis_that_does_not_answer_is_a_warning_without_its_password(settings: Any) -> None:
    settings.REDIS_URL = "redis://me:secret@127.0.0.1:1/0"
    (found,) = checks.redis_answers(None)
    assert found.id == "brokerui.W002"
    assert "redis://127.0.0.1:1/0" in found.msg
    assert "secret" not in found.msg
    settings.REDIS_URL = redis_url("", Path("/nowhere"))
    assert checks.redis_answers(None) == [], "our own runs when we do"


def test_a_machine_without_a_valkey_is_told_to_name_one(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = redis_url("", Path("/nowhere"))
    assert checks.valkey_is_there(None) == []
    monkeypatch.setattr("platform.machine", lambda: "s390x")
    (found,) = checks.valkey_is_there(None)
    assert (found.id, "s390x" in found.msg) == ("brokerui.W003", True)
    settings.REDIS_URL = "redis://127.0.0.1/0"
    assert checks.valkey_is_there(None) == []


def test_addresses_are_shown_without_passwords() -> None:
    assert without_password("rediss://:pa@ss@host:1/2") == "rediss://host:1/2"
    assert without_password("unix:///a/valkey.sock") == "unix:///a/valkey.sock"
    assert is_own("unix:///a/valkey.sock")
    assert not is_own("redis://host/valkey.sock")


# -- Workers -----------------------------------------------------------------------------------------------


def test_every_task_of_the_schedule_is_one_of_ours_and_goes_to_a_queue_that_is_served(settings: Any) -> None:
    current_app.loader.import_default_modules()
    queues = {queue.name for queue in settings.CELERY_TASK_QUEUES}
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["task"] in current_app.tasks
        assert current_app.amqp.router.route({}, entry["task"])["queue"].name in queues


def test_a_pulse_is_late_after_a_few_that_did_not_come() -> None:
    now = datetime.now(UTC)
    assert not heartbeat.heartbeat_is_late(now - timedelta(seconds=60))
    assert heartbeat.heartbeat_is_late(now - timedelta(seconds=100))
    assert heartbeat.heartbeat_is_late(None)


def test_without_redis_the_task_says_so(settings: Any) -> None:
    settings.REDIS_URL = redis_url("", Path("/nowhere"))
    with pytest.raises(RedisError):
        tasks.heartbeat()


@pytest.mark.django_db
def test_what_ran_out_is_deleted() -> None:
    now = timezone.now()
    for key, days in (("old", -1), ("new", 1)):
        Session.objects.create(session_key=key, session_data="", expire_date=now + timedelta(days=days))
    assert expired_delete() == 1
    assert Session.objects.get().session_key == "new"


def test_status_of_a_home_where_nothing_runs(tmp_path: Path) -> None:
    result = command(tmp_path, "status", "--json")
    assert (result.returncode, result.stderr) == (1, "")
    found = json.loads(result.stdout)
    assert (found["well"], found["address"], found["processes"]) == (False, None, [])
    assert "migrations are not applied" in found["database_problem"]
    assert found["redis_problem"]
    result = command(tmp_path, "status")
    assert result.returncode == 1
    assert "`brokerui up` does not run in this home" in result.stdout
    assert "none was seen" in result.stdout
