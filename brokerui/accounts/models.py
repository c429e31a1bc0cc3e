"""Tables of access besides Django's users and groups."""

from __future__ import annotations

from django.db import models
from knox.models import AbstractAuthToken


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

    name = models.CharField(max_length=100)
    """The purpose, in its owner's words."""

    class Meta:
        ordering = ["-created"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="accounts_token_name")]

    def __str__(self) -> str:
        return self.name
