# The queue of imports moves into the table of background jobs. The imports themselves stay as they are.

import django.db.models.deletion
from django.db import migrations, models


def move(apps, schema_editor):
    """Request a background job for each import that is to be read or applied."""
    job, imports = apps.get_model("jobs", "Job"), apps.get_model("intake", "ImportRun").objects
    for row in imports.filter(state__in=("reading", "applying")).order_by("id"):
        author = row.applied_by or row.author
        row.job = job.objects.create(
            kind="import",
            key=str(row.pk),
            payload={"import": row.pk},
            requested_by=author,
            requested_at=row.created_at,
            due_at=row.created_at,
        )
        row.save(update_fields=["job"])


class Migration(migrations.Migration):
    dependencies = [
        ("intake", "0002_unattended"),
        ("jobs", "0001_job"),
    ]

    operations = [
        migrations.AddField(
            model_name="importrun",
            name="job",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="jobs.job"
            ),
        ),
        migrations.RunPython(move, migrations.RunPython.noop, elidable=True),
    ]
