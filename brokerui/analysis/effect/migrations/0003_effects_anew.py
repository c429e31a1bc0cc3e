"""Drops effects that were kept before they counted conversations whose answers no longer return."""

from django.db import migrations


def drop(apps, schema_editor):  # type: ignore[no-untyped-def] - Django gives historical models
    apps.get_model("effect", "KeptEffect").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("effect", "0002_reports")]
    operations = [migrations.RunPython(drop, migrations.RunPython.noop, elidable=True)]
