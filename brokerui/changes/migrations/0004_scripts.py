import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0003_review_append_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="DraftScript",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("instance", models.CharField(max_length=256)),
                ("text", models.TextField()),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scripts", to="changes.saveddraft"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("draft", "instance"), name="changes_script_instance"),
                ],
            },
        ),
    ]
