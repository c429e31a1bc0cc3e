from django.db import migrations

from brokerui.core.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [
        ("estate", "0004_collected_rows"),
    ]

    operations = [AppendOnly("estate_auditentry")]
