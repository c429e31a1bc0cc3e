from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AlterModelOptions(
            name="access",
            options={
                "default_permissions": (),
                "managed": False,
                "permissions": [
                    ("view", "See the estate"),
                    ("operate", "Run what is there"),
                    ("edit", "Change the estate"),
                    ("administer", "Manage users"),
                    ("read_bodies", "Read bodies of messages"),
                ],
            },
        ),
    ]
