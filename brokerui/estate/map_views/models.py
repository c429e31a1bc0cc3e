"""A saved view of the map."""

from __future__ import annotations

from django.db import models

from brokerui.estate.models.versions import AUTHOR

TITLE, KEY = 80, 60
"""Characters."""


class MapView(models.Model):
    """A named part of the map, with boxes where its owner put them. It belongs to no version and changes no estate."""

    key = models.SlugField(max_length=KEY, unique=True)
    """The name in addresses: `/map/views/KEY/`. It stays when the title changes."""
    title = models.CharField(max_length=TITLE)
    owner = models.CharField(max_length=AUTHOR)
    is_shared = models.BooleanField(default=False)
    """Whether other users see it; its owner alone changes it."""
    query = models.JSONField(default=dict)
    """The fields of the map's query string."""
    places = models.JSONField(default=list)
    """Moved boxes: the reference of each, with x and y of its upper left corner in pixels of the picture."""
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["title", "id"]
        constraints = [models.UniqueConstraint(fields=["owner", "title"], name="map_views_owner_title")]

    def __str__(self) -> str:
        return self.title
