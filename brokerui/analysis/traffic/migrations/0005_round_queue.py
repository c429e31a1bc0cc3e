from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("traffic_results", "0004_jobs"),
    ]

    operations = [
        migrations.RemoveField(model_name="round", name="claim"),
        migrations.RemoveField(model_name="round", name="heard_at"),
    ]
