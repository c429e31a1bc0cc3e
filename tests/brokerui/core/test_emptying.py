"""What stands in the database of a test process once a test that commits is over."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, Permission
from django.utils import timezone

from brokerui.changes.models import ReviewEntry
from brokerui.changes.services import draft_create
from brokerui.estate.audit import audit
from brokerui.estate.models import Instance
from tests.emptying import Emptying, rows


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_all_rows_go_but_the_first_which_stand_as_they_stood() -> None:
    emptying = Emptying()
    groups = sorted(Group.objects.values_list("name", flat=True))
    assert groups
    assert Permission.objects.exists()
    Instance.objects.create(name="A", position=0)
    draft = draft_create(name="moves", author="ada")
    ReviewEntry.objects.create(draft=draft, at=timezone.now(), author="ada", action="comment", text="kept")
    audit(author="ada", action="estate.edit", note="kept")
    Permission.objects.update(name="changed")
    Group.objects.first().permissions.clear()  # type: ignore[union-attr]  # there are some
    Group.objects.filter(name=groups[-1]).delete()
    emptying.empty()
    left = {table for table in emptying.tables if rows(f'SELECT 1 FROM "{table}" LIMIT 1')}
    assert left == emptying.first.keys()
    assert all(rows(f'SELECT * FROM "{table}"') == first for table, (_, first) in emptying.first.items())
