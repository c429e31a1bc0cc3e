import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Users that exist keep their role for all instances: nobody has a group."""

    dependencies = [("accounts", "0004_preferences"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="InstanceGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
            ],
            options={"ordering": ["name"]},
        ),
        migrations.CreateModel(
            name="GroupedInstance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("instance", models.CharField(max_length=256)),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="instances",
                        to="accounts.instancegroup",
                    ),
                ),
            ],
            options={"ordering": ["instance"]},
        ),
        migrations.CreateModel(
            name="RoleGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="users",
                        to="accounts.instancegroup",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="role_groups",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["group__name"]},
        ),
        migrations.AddConstraint(
            model_name="groupedinstance",
            constraint=models.UniqueConstraint(fields=("group", "instance"), name="accounts_grouped_instance"),
        ),
        migrations.AddConstraint(
            model_name="rolegroup",
            constraint=models.UniqueConstraint(fields=("user", "group"), name="accounts_role_group"),
        ),
    ]
