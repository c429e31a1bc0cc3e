"""Results of `route` and `replay`: the outcomes that traffic met, or would meet."""

from __future__ import annotations

from django.db import models

from brokerui.analysis.traffic.models.runs import WORD, OfRun


class Weighed(OfRun):
    """A row with a number of messages and bytes."""

    rows = models.BigIntegerField()
    messages = models.BigIntegerField()
    bytes = models.BigIntegerField()

    class Meta:
        abstract = True


class OfClass(Weighed):
    """A row of one class of traffic: what the rules look at."""

    from_instance = models.TextField()
    from_database = models.TextField(null=True)
    to_service = models.TextField()
    to_broker_instance = models.TextField(null=True)
    is_reply = models.BooleanField()
    verdict = models.CharField(max_length=WORD)

    class Meta:
        abstract = True


class Met(OfClass):
    """All outcomes that a class met (`route`)."""

    outcomes = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["run", "-messages"], name="met_by_weight")]


class Change(OfClass):
    """A class that ends otherwise under the proposed routes (`replay`)."""

    before = models.JSONField()
    after = models.JSONField()
    kind = models.CharField(max_length=WORD)

    class Meta:
        indexes = [models.Index(fields=["run", "-messages"], name="change_by_weight")]


class Link(Weighed):
    """Messages from an entry point to an end: a link of a Sankey diagram."""

    side = models.CharField(max_length=WORD)
    """`met`; of a replay `before` or `after`."""
    from_instance = models.TextField()
    from_database = models.TextField(null=True)
    outcome = models.CharField(max_length=WORD)
    instance = models.TextField()
    database = models.TextField(null=True)
    reason = models.TextField(null=True)
    address = models.TextField(null=True)
    is_certain = models.BooleanField()

    class Meta:
        indexes = [models.Index(fields=["run", "side"], name="link_of_side")]
