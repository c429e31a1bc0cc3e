"""The settings are safe as they stand, and an environment can open them only by saying so."""

from __future__ import annotations

import os
import runpy
import secrets
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from brokerui.core import checks, home
from brokerui.core.databases import database
from brokerui.core.home import CHECKOUT, home_folder, secret_key
from brokerui.settings import env

CHECKED = """
import sys, django; django.setup()
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import SystemCheckError
call_command("check", deploy=True, fail_level="WARNING")
settings.REDIS_URL = sys.argv[1]
call_command("check", fail_level="WARNING")
from django.test import Client
assert Client(headers={"host": "localhost"}).get("/healthz", secure=True).status_code == 200
print("traces:", [name for name in sys.modules if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter"))])
print("of deployment again", flush=True)
call_command("check", deploy=True, fail_level="WARNING")
"""
"""Django's checks of a deployment, all others, a request, and again those of a deployment, once nothing answers at
REDIS_URL."""


def test_debug_is_off_and_only_this_machine_is_answered() -> None:
    assert settings.DEBUG is False
    assert {"localhost", "127.0.0.1", "[::1]"} <= set(settings.ALLOWED_HOSTS)
    assert "*" not in settings.ALLOWED_HOSTS


def test_debugging_is_switched_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKERUI_HOME", str(tmp_path))
    for value, is_on in (("1", True), ("0", False)):
        monkeypatch.setenv("DEBUG", value)
        assert runpy.run_path(str(CHECKOUT / "brokerui" / "settings.py"))["DEBUG"] is is_on


def test_the_key_is_made_once_and_nobody_else_reads_it(tmp_path: Path) -> None:
    first = secret_key(tmp_path)
    assert len(first) >= 50
    assert secret_key(tmp_path) == first
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_who_comes_second_takes_the_key_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.key").write_text("first\n")
    # It was not there yet when this process looked.
    monkeypatch.setattr(Path, "exists", lambda self: False)
    assert secret_key(tmp_path) == "first"


def test_two_homes_have_two_keys(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert secret_key(tmp_path / "a") != secret_key(tmp_path / "b")


def test_the_home_is_var_unless_the_environment_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BROKERUI_HOME", raising=False)
    assert home_folder() == CHECKOUT / "var"
    monkeypatch.setenv("BROKERUI_HOME", "/somewhere/else")
    assert home_folder() == Path("/somewhere/else")


def test_sqlite_waits_for_the_disk_and_for_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    options = database(env, tmp_path)["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=20000"):
        assert pragma in options["init_command"]


def test_another_sqlite_file_has_the_same_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "sqlite:////tmp/other.sqlite3")
    given = database(env, tmp_path)
    assert given["NAME"] == "/tmp/other.sqlite3"
    assert given["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_a_server_is_taken_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me:secret@db.example:5433/broker")
    given = database(env, tmp_path)
    assert (given["HOST"], given["PORT"], given["NAME"]) == ("db.example", 5433, "broker")
    assert given["CONN_HEALTH_CHECKS"] is True


def test_a_site_behind_https_passes_the_deployment_checks_and_without_its_redis_all_others(tmp_path: Path) -> None:
    """One program for the three of them: each start would load all pages. Without the variables of traces it loads
    nothing of them, nor its metrics, for which the client of Redis looks by itself."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    environ = {**plain, "BROKERUI_HOME": str(tmp_path), "HTTPS": "1", "SECRET_KEY": secrets.token_urlsafe(48)}
    environ.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)
    command = [sys.executable, "-c", CHECKED, "redis://me:secret@127.0.0.1:1/0"]
    ran = subprocess.run(command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False)
    assert ran.stdout.count("no issues") == 2, ran.stderr
    assert ran.stdout.endswith("traces: []\nof deployment again\n")
    assert (ran.returncode, "brokerui.W002" in ran.stderr, "secret" in ran.stderr) == (1, True, False)


def test_debug_for_the_world_is_refused(settings: Any) -> None:
    settings.DEBUG, settings.ALLOWED_HOSTS = True, ["localhost", "broker.example"]
    with pytest.raises(SystemCheckError) as refused:
        call_command("check")
    assert "brokerui.E002" in str(refused.value)
    assert "broker.example" in str(refused.value)


def test_a_key_that_others_may_read_is_reported(tmp_path: Path, settings: Any) -> None:
    settings.HOME = tmp_path
    assert checks.secret_key_is_private(None) == []
    secret_key(tmp_path)
    assert checks.secret_key_is_private(None) == []
    (tmp_path / "secret.key").chmod(0o644)
    assert [found.id for found in checks.secret_key_is_private(None)] == ["brokerui.W001"]


def test_a_home_that_others_may_look_into_is_reported(tmp_path: Path, settings: Any) -> None:
    settings.HOME = tmp_path
    tmp_path.chmod(0o700)
    assert checks.home_is_private(None) == []
    tmp_path.chmod(0o755)
    assert [found.id for found in checks.home_is_private(None)] == ["brokerui.W004"]


def test_a_home_that_is_not_there_is_reported(tmp_path: Path, settings: Any) -> None:
    settings.HOME = tmp_path / "none"
    assert [found.id for found in checks.home_is_writable(None)] == ["brokerui.E001"]


@pytest.mark.django_db
def test_no_model_waits_for_its_migration() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True)


def test_an_installed_package_writes_nothing_beside_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BROKERUI_HOME", raising=False)
    monkeypatch.setattr(home, "CHECKOUT", tmp_path / "site-packages")
    monkeypatch.setenv("HOME", str(tmp_path))
    for given, folder in ((None, ".local/share"), ("relative", ".local/share"), (str(tmp_path / "data"), "data")):
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        if given:
            monkeypatch.setenv("XDG_DATA_HOME", given)
        assert home_folder() == tmp_path / folder / "brokerui"
