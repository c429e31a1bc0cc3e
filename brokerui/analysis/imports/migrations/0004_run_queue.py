from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("intake", "0003_jobs"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="importrun", name="intake_run_due"),
        migrations.RemoveField(model_name="importrun", name="claim"),
        migrations.RemoveField(model_name="importrun", name="claimed_at"),
        migrations.RemoveField(model_name="importrun", name="attempts"),
        migrations.RemoveField(model_name="importrun", name="phase"),
        migrations.RemoveField(model_name="importrun", name="done"),
        migrations.RemoveField(model_name="importrun", name="total"),
    ]
