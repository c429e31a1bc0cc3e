"""A conversation in use stays where it is in the indexes: PostgreSQL then updates its row in place.

`may_wait` stands in the index in place of two columns that change with every message. A process of the version before,
which runs on during an upgrade, does not know it: a row that such a process writes is right again with the next commit.
"""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

FORMER = import_module("brokerui.messaging.migrations.0007_append_messages_at_once").FUNCTION
_OF_INSTANCE = "row.instance_id ="
_ADDED = "outgoing = row.outgoing + how_many,"
FUNCTION = FORMER.replace(_ADDED, f"{_ADDED} may_wait = true,").replace(_OF_INSTANCE, "row.instance_id + 0 =")
INDEX = "conversation_endpoints_waiting"
COLUMNS = ["instance", "database", "far_service"]


def replace(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION)


def restore(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FORMER)


def clear(apps, schema_editor):
    """Where nothing waits; the others have the value that a new column has."""
    endpoints = apps.get_model("messaging", "ConversationEndpoint").objects.using(schema_editor.connection.alias)
    endpoints.filter(outgoing=0, held=0).update(may_wait=False)


class Migration(migrations.Migration):
    dependencies = [("messaging", "0007_append_messages_at_once")]

    operations = [
        migrations.AddField("conversationendpoint", "may_wait", models.BooleanField(db_default=True)),
        migrations.RunPython(clear, migrations.RunPython.noop),
        migrations.RemoveIndex("conversationendpoint", INDEX),
        migrations.AddIndex(
            "conversationendpoint", models.Index(fields=COLUMNS, condition=Q(may_wait=True), name=INDEX)
        ),
        migrations.RunPython(replace, restore),
    ]
