"""Tables of access besides Django's users and groups."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken

from brokerui.accounts.preferences import CLOCKS, DENSITIES, THEMES, UTC_NAME, ZONE_CHARS
from brokerui.accounts.token_limits import MOST_TOKEN_NAME
from brokerui.estate.models.base import SERVICE_NAME

MOST_GROUP_NAME = 100


class Access(models.Model):
    """No table: the permissions that roles are made of (see levels.py)."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions = [
            ("view", "See the estate"),
            ("operate", "Run what is there"),
            ("edit", "Change the estate"),
            ("administer", "Manage users"),
            ("read_bodies", "Read bodies of messages"),
        ]

    def __str__(self) -> str:
        return "access"


class Token(AbstractAuthToken):
    """A token of the REST interface; only its digest is stored."""

    name = models.CharField(max_length=MOST_TOKEN_NAME)
    """The purpose, in its owner's words."""
    level = models.CharField(max_length=20, blank=True, default="", db_default="")
    """The scope: codename of the highest level that requests with the token have; empty: all that its user may."""

    class Meta:
        ordering = ["-created"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="accounts_token_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        """Whether it is refused by now; it is deleted within a day."""
        return self.expiry is not None and self.expiry < timezone.now()


class UserPreferences(models.Model):
    """The choices of a user that hold on every page. Without a row they are those of the product."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="preferences"
    )
    theme = models.CharField(max_length=5, default=THEMES[0])
    density = models.CharField(max_length=11, default=DENSITIES[0])
    zone = models.CharField(max_length=ZONE_CHARS, default=UTC_NAME)
    clock = models.PositiveSmallIntegerField(default=CLOCKS[0])
    keys = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"


class InstanceGroup(models.Model):
    """Instances for which users may have their role."""

    name = models.CharField(max_length=MOST_GROUP_NAME, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class GroupedInstance(models.Model):
    """An instance of a group, by its name: an import replaces rows of instances, and names stay."""

    group = models.ForeignKey(InstanceGroup, models.CASCADE, related_name="instances")
    instance = models.CharField(max_length=SERVICE_NAME)

    class Meta:
        ordering = ["instance"]
        constraints = [models.UniqueConstraint(fields=["group", "instance"], name="accounts_grouped_instance")]

    def __str__(self) -> str:
        return f"{self.group}: {self.instance}"


class RoleGroup(models.Model):
    """A group for which a user has a role. A user without any has the own one for all instances."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="role_groups")
    group = models.ForeignKey(InstanceGroup, models.PROTECT, related_name="users")
    role = models.CharField(max_length=20, blank=True, default="", db_default="")
    """The role for its instances, at most that of the user; empty: that of the user."""

    class Meta:
        ordering = ["group__name"]
        constraints = [models.UniqueConstraint(fields=["user", "group"], name="accounts_role_group")]

    def __str__(self) -> str:
        return f"{self.user}: {self.group}"
