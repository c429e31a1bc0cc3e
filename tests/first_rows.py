"""Give the database of a test process its first rows back after each test that commits."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.db import connection, transaction
from django.db.models.signals import post_migrate

from brokerui.accounts.services import roles_ensure


class FirstRows:
    """The rows of a new database (content types, permissions, groups), written again after each test that commits.

    Django would make them anew, which takes 0.1 s after each of those tests.
    """

    def __init__(self) -> None:
        self.rows: dict[str, tuple[str, list[tuple[Any, ...]]]] = {}
        quote = connection.ops.quote_name
        with connection.cursor() as cursor:
            for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
                cursor.execute(f"SELECT * FROM {quote(table)}")
                if rows := cursor.fetchall():
                    names = [quote(column[0]) for column in cursor.description]
                    statement = (
                        f"INSERT INTO {quote(table)} ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})"
                    )
                    self.rows[table] = (statement, rows)

    def take_over(self) -> None:
        """Be what runs when Django has emptied the tables, in place of what fills them."""
        post_migrate.disconnect(create_permissions, dispatch_uid="django.contrib.auth.management.create_permissions")
        post_migrate.disconnect(create_contenttypes)
        post_migrate.disconnect(roles_ensure, sender=apps.get_app_config("accounts"))
        post_migrate.connect(self.restore, sender=apps.get_app_config("accounts"), weak=False)

    def restore(self, **_signal: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement, rows in self.rows.values():
                cursor.executemany(statement, rows)
