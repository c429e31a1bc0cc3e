"""Users of tests have the rows that the service writes, in every table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models, transaction
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.accounts.services import user_create
from tests.brokerui.site import PASSWORD, signed_in, user_of

Rows = dict[str, list[dict[str, Any]]]


def rows_of(model: type[models.Model]) -> list[dict[str, Any]]:
    """All rows without keys and moments, which differ from one writing to the next, and passwords."""
    kinds = (models.AutoField, models.DateTimeField, models.ForeignKey)
    names = [field.attname for field in model._meta.local_concrete_fields if not isinstance(field, kinds)]
    shown = [name for name in names if name != "password"]
    return sorted(({name: row[name] for name in shown} for row in model._default_manager.values()), key=str)


def tables() -> list[type[models.Model]]:
    return [one for one in apps.get_models(include_auto_created=True) if one._meta.managed]


def rows_left(make: Callable[[], object]) -> Rows:
    """Return the rows of every table after this, and take them back."""
    with transaction.atomic():
        make()
        found = {one._meta.db_table: rows_of(one) for one in tables()}
        transaction.set_rollback(True)
    return found


@pytest.mark.both_databases
@pytest.mark.parametrize("role", Role)
def test_a_repeated_user_has_the_rows_of_the_service(role: Role, db: Any) -> None:
    of_the_service = rows_left(lambda: user_create(name=role, password=PASSWORD, role=role))
    assert rows_left(lambda: user_of(role)) == of_the_service
    assert rows_left(lambda: user_of(role)) == of_the_service, "the second one is repeated in any case"


@pytest.mark.both_databases
def test_a_repeated_user_is_stored_as_it_is_returned(db: Any) -> None:
    with transaction.atomic():
        user_of(Role.EDITOR)
        transaction.set_rollback(True)
    begun = timezone.now()
    user = user_of(Role.EDITOR)
    stored = User.objects.get(username=Role.EDITOR)
    assert (stored.pk, stored.password, stored.date_joined) == (user.pk, user.password, user.date_joined)
    assert begun <= stored.date_joined <= timezone.now()
    assert [group.name for group in user.groups.all()] == [Role.EDITOR]
    assert user.check_password(PASSWORD)


@pytest.mark.both_databases
def test_who_is_signed_in_signed_in_now_and_stays_it(db: Any) -> None:
    begun = timezone.now()
    client = signed_in(Role.VIEWER)
    assert client.get("/account/", follow=True).context["user"].username == Role.VIEWER
    last = User.objects.get(username=Role.VIEWER).last_login
    assert last is not None
    assert last >= begun
