from django.db import migrations, models


class Migration(migrations.Migration):
    """Users that have groups keep their own role for the instances of each."""

    dependencies = [("accounts", "0005_instance_groups")]

    operations = [
        migrations.AddField(
            model_name="rolegroup",
            name="role",
            field=models.CharField(blank=True, db_default="", default="", max_length=20),
        )
    ]
