from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("traffic_results", "0005_round_queue"),
    ]

    operations = [
        migrations.AddField(model_name="round", name="is_generated", field=models.BooleanField(default=False)),
        migrations.AddField(model_name="run", name="is_generated", field=models.BooleanField(default=False)),
    ]
