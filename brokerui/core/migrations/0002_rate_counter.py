"""The model is called RateCounter from now on; its table keeps its name, so that nothing in a database changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("core", "0001_counted")]

    operations = [
        migrations.AlterModelTable("Counted", "core_counted"),
        migrations.RenameModel("Counted", "RateCounter"),
    ]
