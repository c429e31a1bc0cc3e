from django.db import migrations, models

KINDS = ["dropped", "delayed", "age", "depth", "disagreement", "expiry", "mirror", "job", "leak", "stale"]


def add_rule(apps, _schema):
    apps.get_model("alerts", "AlertRule").objects.create(
        kind="certificate", threshold=30, clear=30, hold_s=0, severity="warning"
    )


def remove_rules(apps, _schema):
    apps.get_model("alerts", "AlertRule").objects.filter(kind="certificate").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("alerts", "0003_messengers"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="alertrule", name="alerts_rule_kind"),
        migrations.AddConstraint(
            model_name="alertrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", [*KINDS, "certificate"])), name="alerts_rule_kind"
            ),
        ),
        migrations.RunPython(add_rule, remove_rules),
    ]
