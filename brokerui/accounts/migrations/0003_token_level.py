from django.db import migrations, models


class Migration(migrations.Migration):
    """Tokens that exist keep all permissions of their users; the database has a default for processes of before."""

    dependencies = [("accounts", "0002_read_bodies")]

    operations = [
        migrations.AddField(
            model_name="token",
            name="level",
            field=models.CharField(blank=True, db_default="", default="", max_length=20),
        ),
    ]
