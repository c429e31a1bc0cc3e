"""Pages of a test read while the server writes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_reader_keeps_no_writer_from_its_table() -> None:
    """The reader has a connection of its own, as each request has."""
    for number in range(3):
        draft_create(name=f"Draft {number}", author="ada", edits=())

    def first_row() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT id FROM changes_saveddraft")
            cursor.fetchone()
            writing.submit(write).result()
            found = len(cursor.fetchall())
        connection.close()
        return found

    def write() -> None:
        SavedDraft.objects.update(name="renamed")
        connection.close()

    with ThreadPoolExecutor(1) as reading, ThreadPoolExecutor(1) as writing:
        assert reading.submit(first_row).result() == 2
