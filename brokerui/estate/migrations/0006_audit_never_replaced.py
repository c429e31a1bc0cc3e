from django.db import migrations

from brokerui.core.append_only import AppendOnlyAlways


class Migration(migrations.Migration):
    dependencies = [
        ("estate", "0005_audit_append_only"),
    ]

    operations = [AppendOnlyAlways("estate_auditentry")]
