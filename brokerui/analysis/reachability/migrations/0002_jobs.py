# The queue of surveys moves into the table of background jobs.

from django.db import migrations, models


def move(apps, schema_editor):
    """Request a background job for each survey that no worker has finished."""
    job, survey = apps.get_model("jobs", "Job"), apps.get_model("reachability", "Survey")
    open_surveys = survey.objects.filter(models.Q(finished_at=None) | models.Q(data=None) | models.Q(seconds=None))
    for row in open_surveys.defer("data").order_by("id"):
        payload = {"key": row.key, "since": row.since, "scenario": row.scenario, "version": row.version}
        job.objects.create(
            kind="survey",
            key=f"{row.key} {row.since}".strip(),
            payload={**payload, "moment": row.at.isoformat()},
            requested_at=row.asked_at,
            due_at=row.asked_at,
        )
    open_surveys.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("reachability", "0001_initial"),
        ("jobs", "0001_job"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField(model_name="survey", name="scenario"),
        migrations.RemoveField(model_name="survey", name="version"),
        migrations.RemoveField(model_name="survey", name="asked_at"),
        migrations.RemoveField(model_name="survey", name="begun_at"),
        migrations.RemoveField(model_name="survey", name="done"),
        migrations.RemoveField(model_name="survey", name="total"),
        migrations.AlterField(model_name="survey", name="finished_at", field=models.DateTimeField()),
        migrations.AlterField(model_name="survey", name="seconds", field=models.FloatField()),
        migrations.AlterField(model_name="survey", name="data", field=models.BinaryField()),
    ]
