# The queue of rounds moves into the table of background jobs. The rounds themselves stay as they are.

import django.db.models.deletion
from django.db import migrations, models


def move(apps, schema_editor):
    """Request a background job for a round that waits; the worker of one that runs was stopped for the update."""
    job, rounds = apps.get_model("jobs", "Job"), apps.get_model("traffic_results", "Round").objects
    for row in rounds.filter(state="running"):
        row.state, row.ended_at = "interrupted", row.heard_at or row.asked_at
        row.save()
    for row in rounds.filter(state="waiting"):
        moments = {"requested_at": row.asked_at, "due_at": row.asked_at}
        row.job = job.objects.create(kind="round", key="pipeline", requested_by=row.asked_by, **moments)
        row.save()


class Migration(migrations.Migration):
    dependencies = [
        ("traffic_results", "0003_rounds"),
        ("jobs", "0001_job"),
    ]

    operations = [
        migrations.AddField(
            model_name="round",
            name="job",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="jobs.job"
            ),
        ),
        migrations.RunPython(move, migrations.RunPython.noop, elidable=True),
    ]
