from django.db import migrations

from brokerui.core.append_only import AppendOnlyAlways


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0004_scripts"),
    ]

    operations = [AppendOnlyAlways("changes_reviewentry")]
