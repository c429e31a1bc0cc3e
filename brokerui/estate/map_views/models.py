"""Saved views: of the map, and of each page with filters."""

from __future__ import annotations

from django.db import models

from brokerui.estate.models.versions import AUTHOR

TITLE, KEY, PAGE = 80, 60, 20
"""Characters."""
MAP = "map"
FILTERED_PAGES = (
    *("conversations", "events", "delayed", "queues", "service_queues", "alerts", "audit"),
    *("findings", "routes", "traffic"),
)
"""Pages other than the map whose filter can be saved, by the stem of their package."""


class MapView(models.Model):
    """A named filter of a page; of the map with boxes where its owner put them. It belongs to no version and changes no
    estate."""

    key = models.SlugField(max_length=KEY, unique=True)
    """The name in addresses: `/map/views/KEY/`. It stays when the title changes."""
    page = models.CharField(max_length=PAGE, default=MAP, db_default=MAP)
    """`map`, or one of the pages with filters."""
    title = models.CharField(max_length=TITLE)
    owner = models.CharField(max_length=AUTHOR)
    is_shared = models.BooleanField(default=False)
    """Whether other users see it; its owner alone changes it."""
    query = models.JSONField(default=dict)
    """The fields of the query string of the page; a field that comes several times has a list."""
    places = models.JSONField(default=list)
    """Moved boxes: the reference of each, with x and y of its upper left corner in pixels of the picture."""
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["title", "id"]
        constraints = [models.UniqueConstraint(fields=["owner", "title"], name="map_views_owner_title")]

    def __str__(self) -> str:
        return self.title
