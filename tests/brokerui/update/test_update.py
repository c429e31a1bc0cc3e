"""An update from the version before the storeys: the database and the secrets of its home keep all that they held."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.test import Client

from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.selectors import estate_as_of, live_version
from brokerui.messaging.keys.selectors import undecryptable_keys
from brokerui.messaging.services import message_receive
from brokerui.messaging.store.postgres_pool import pool_of
from tests.brokerui.update.former_version import (
    PASSWORD,
    TOKEN,
    Rows,
    fill,
    former_home,
    migrate_to,
    migrate_to_now,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def rows(settings: Any, tmp_path: Path) -> Iterator[Rows]:
    """The rows of the former version, in a database that was updated since."""
    home = former_home()
    settings.HOME, settings.KEYS_SECRET = tmp_path, ""
    (tmp_path / "keys.secret").write_text(home["keys_secret"])
    try:
        fill(migrate_to(home["migrations"]), home["rows"])
    finally:
        migrate_to_now()
    yield home["rows"]
    pool_of("default").close()


@pytest.mark.thorough("it takes long there, and migrations are written for both", on="postgresql")
def test_all_is_kept_and_works(rows: Rows, client: Client) -> None:
    every_row_is_there_with_all_its_values(rows)
    what_was_kept_works(rows, client)


def every_row_is_there_with_all_its_values(rows: Rows) -> None:
    for name, former in rows.items():
        model = apps.get_model(name)
        fields = {field.attname: field for field in model._meta.concrete_fields}
        kept = {row.pk: row for row in model._base_manager.all()}
        for row in former:
            values = {column: fields[column].to_python(value) for column, value in row.items() if column in fields}
            found = kept[model(**values).pk]
            assert {column: plain(getattr(found, column)) for column in values} == values, name


def plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def what_was_kept_works(rows: Rows, client: Client) -> None:
    assert live_version() == 2
    assert estate_as_of(version=1).estate == scenario_get("as-it-was")
    assert undecryptable_keys() == []
    received = message_receive(instance="bakery", database="Ovens", queue="dbo.BreadQueue", top=5)
    sent = {
        (row["conversation_handle"], row["message_sequence_number"]): row["message_body"]
        for row in rows["messaging.queuemessage"]
    }
    assert received
    assert all(sent[str(one.conversation_handle), one.message_sequence_number] == one.message_body for one in received)
    assert client.get("/api/v1/instances/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    ann = User.objects.get(username="ann")
    assert PBKDF2PasswordHasher().verify(PASSWORD, ann.password)
    client.force_login(ann)
    for page in ("/map/", "/findings/", "/imports/2/", "/changes/", "/queues/", "/jobs/"):
        assert client.get(page).status_code == 200, page
