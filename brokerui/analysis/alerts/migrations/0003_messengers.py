from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("alerts", "0002_channels"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="alertchannel", name="alerts_channel_kind"),
        migrations.AlterField(
            model_name="alertchannel",
            name="kind",
            field=models.CharField(
                choices=[("email", "Email"), ("webhook", "Webhook"), ("messenger", "Messenger")], max_length=9
            ),
        ),
        migrations.AddConstraint(
            model_name="alertchannel",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["email", "webhook", "messenger"])), name="alerts_channel_kind"
            ),
        ),
    ]
