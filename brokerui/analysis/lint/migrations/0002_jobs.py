# The queue of lint moves into the table of background jobs.

from django.db import migrations


def move(apps, schema_editor):
    """Request a background job for each estate that no worker has finished."""
    job = apps.get_model("jobs", "Job")
    for row in apps.get_model("lint", "LintWanted").objects.order_by("id"):
        payload = {"key": row.key, "moment": row.moment, "scenario": row.scenario, "version": row.version}
        job.objects.create(
            kind="lint",
            key=f"{row.key} {row.moment}".strip(),
            payload=payload,
            requested_at=row.asked_at,
            due_at=row.asked_at,
        )


class Migration(migrations.Migration):
    dependencies = [
        ("lint", "0001_initial"),
        ("jobs", "0001_job"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop, elidable=True),
        migrations.DeleteModel(name="LintWanted"),
    ]
