"""How PostgreSQL keeps tables whose rows come and go.

Bodies are not compressed: they leave again soon. Dead rows are cleared away by their number and not by their share:
polls of a table must not slow down with its deleted rows.
"""

from django.db import migrations

BODIES = {"queue_messages": "message_body", "transmission_queue": "message_body", "held_fragments": "body"}
BUSY = (*BODIES, "conversation_endpoints", "conversation_groups", "queue_counters")
CLEARED = "autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0"


def store(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for table, column in BODIES.items():
        schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STORAGE EXTERNAL")
    for table in BUSY:
        schema_editor.execute(f"ALTER TABLE {table} SET ({CLEARED})")


class Migration(migrations.Migration):
    dependencies = [("messaging", "0001_initial")]

    operations = [migrations.RunPython(store, migrations.RunPython.noop)]
