"""Alive is not ready: ready is with a database that has every migration."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from brokerui.core import migration_state


def test_alive_needs_no_database(client: Client) -> None:
    response = client.get("/healthz")
    assert response.json() == {"status": "ok"}
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_ready(client: Client) -> None:
    assert client.get("/readyz").json() == {"status": "ok"}


@pytest.mark.django_db
def test_not_ready_while_migrations_wait(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration_state.MigrationExecutor, "migration_plan", lambda self, targets: [1, 2])
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["problem"] == "2 migrations are not applied"


def test_not_ready_without_a_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: Any) -> None:
        raise DatabaseError("password of the database: secret")

    monkeypatch.setattr(migration_state, "MigrationExecutor", fail)
    response = client.get("/readyz")
    assert response.status_code == 503
    assert "secret" not in response.content.decode()
