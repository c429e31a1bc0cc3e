"""The audit and the entries of reviews: the database refuses each statement that changes or deletes a row."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from brokerui.changes.models import ReviewEntry
from brokerui.changes.services import draft_create
from brokerui.estate.audit import audit
from brokerui.estate.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ALWAYS = ("UPDATE {table} SET author = 'nobody'", "DELETE FROM {table}")
OWN = {
    "sqlite": (
        "INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
        "REPLACE INTO {table} SELECT * FROM {table}",
        "INSERT INTO {table} SELECT * FROM {table} WHERE true ON CONFLICT (id) DO UPDATE SET author = 'nobody'",
    ),
    "postgresql": (
        "TRUNCATE {table}",
        "TRUNCATE {table} CASCADE",
        "INSERT INTO {table} SELECT * FROM {table} ON CONFLICT (id) DO UPDATE SET author = 'nobody'",
    ),
}


@pytest.mark.parametrize("model", [AuditEntry, ReviewEntry])
def test_no_statement_changes_what_stands(model: type[AuditEntry | ReviewEntry]) -> None:
    audit(author="ada", action="estate.edit", note="kept")
    draft = draft_create(name="moves", author="ada")
    ReviewEntry.objects.create(draft=draft, at=timezone.now(), author="ada", action="comment", text="kept")
    connection.check_constraints()  # PostgreSQL truncates no table that has some still to check
    before = list(model.objects.values())
    assert before
    for statement in (*ALWAYS, *OWN[connection.vendor]):
        with (
            pytest.raises(DatabaseError, match="never changed or deleted"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement.format(table=model._meta.db_table))
    assert list(model.objects.values()) == before
    audit(author="ada", action="estate.edit", note="goes on")
