"""A home of the version before the storeys (1daf764), as that version left it after a walk through the demo.

`tests/data/former_version.json.gz` holds its migrations, its rows by model, and the secret of its keys. It was made
with all processes of that version: the demo, three imports (one applied, one previewed, one uploaded), a token, a
suppressed finding, an own scenario, two key pairs, messages that wait in queues, and one that finds no route.
"""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any, Final

from django.core.management.color import no_style
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from brokerui.accounts.services import roles_ensure
from brokerui.core.home import CHECKOUT

FILE: Final = Path(CHECKOUT) / "tests" / "data" / "former_version.json.gz"
PASSWORD: Final = "long password of ann"
TOKEN: Final = "d766a23b72781d2cf136296806ff0f6fca6c5c14c6b252b3b4a46b47c3536335"
Rows = dict[str, list[dict[str, Any]]]


def former_home() -> dict[str, Any]:
    """`migrations`, `rows` and `keys_secret`; bytes are read from base64."""
    return dict(json.loads(gzip.decompress(FILE.read_bytes()), object_hook=_bytes))


def _bytes(value: dict[str, Any]) -> Any:
    return base64.b64decode(value["base64"]) if set(value) == {"base64"} else value


def migrate_to(migrations: list[list[str]]) -> Any:
    """Bring the database to these migrations; return its models as they were then."""
    executor = MigrationExecutor(connection)
    names = {(app, name) for app, name in migrations}
    ours = {node for node in executor.loader.graph.nodes if executor.loader.get_migration(*node) and node in names}
    apps = {app for app, _ in executor.loader.graph.nodes}
    leaves = [
        node for node in ours if not any(child in ours and child[0] == node[0] for child in _children(executor, node))
    ]
    targets = [*sorted(leaves), *((app, None) for app in sorted(apps - {app for app, _ in leaves}))]
    executor.migrate(targets)
    return executor.loader.project_state(sorted(leaves)).apps


def _children(executor: MigrationExecutor, node: tuple[str, str]) -> list[tuple[str, str]]:
    return [child.key for child in executor.loader.graph.node_map[node].children]


def migrate_to_now() -> None:
    """Migrate, and give roles their permissions, as `manage.py migrate` does at its end."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    roles_ensure()


def fill(models: Any, rows: Rows) -> None:
    """Write the rows in an order in which each finds what it refers to."""
    left = dict(rows)
    written = []
    while left:
        name = next(name for name in left if not _referred(models, name) & left.keys() - {name})
        model = models.get_model(name)
        model._base_manager.all().delete()
        for field in model._meta.concrete_fields:
            field.auto_now_add = False  # the moment of the row, not of the test
        model._base_manager.bulk_create([model(**row) for row in left.pop(name)])
        written.append(model)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), written):
            cursor.execute(statement)


def _referred(models: Any, name: str) -> set[str]:
    fields = models.get_model(name)._meta.concrete_fields
    return {field.related_model._meta.label_lower for field in fields if field.related_model is not None}
