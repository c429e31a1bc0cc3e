"""Keys by the names of instance and database: an import of the estate makes their rows anew, and keys stay."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.estate.models.base import SERVICE_NAME, SYSNAME


class DatabaseKey(models.Model):
    """The key pair of a hosted database."""

    instance = models.CharField(max_length=SERVICE_NAME)
    database = models.CharField(max_length=SYSNAME)
    public = models.BinaryField()
    sealed = models.BinaryField()
    """The private key, encrypted with the secret of the deployment (`sealing`)."""
    made_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["instance", "database"], name="keys_database")]

    def __str__(self) -> str:
        return f"{self.instance}/{self.database}"


class PeerKey(models.Model):
    """The public key of a database that a hosted one speaks with."""

    instance = models.CharField(max_length=SERVICE_NAME)
    database = models.CharField(max_length=SYSNAME)
    service = models.CharField(max_length=SERVICE_NAME, blank=True)
    """The service of a remote service binding: dialogs to it use the key. Empty: the owner may begin dialogs with
    us."""
    public = models.BinaryField()
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "database", "service"], condition=~Q(service=""), name="keys_peer_service"
            ),
            models.UniqueConstraint(
                fields=["instance", "database", "public"], condition=Q(service=""), name="keys_peer_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.instance}/{self.database}: {self.service}"
