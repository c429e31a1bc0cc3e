from django.db import migrations

from brokerui.core.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0002_review"),
    ]

    operations = [AppendOnly("changes_reviewentry")]
