"""Files of routing tests that are kept for the live estate."""

from __future__ import annotations

from django.db import models

from brokerui.estate.models.versions import AUTHOR

NAME = 80
"""Characters of the name of a file."""
DIGEST = 64
"""SHA-256, in hex digits."""


class KeptTestFile(models.Model):
    """A file of routing tests as its author wrote it. It belongs to no version of the estate."""

    name = models.CharField(max_length=NAME, unique=True)
    text = models.TextField()
    digest = models.CharField(max_length=DIGEST)
    """Of the text: it names the state that a writer has seen."""
    size = models.PositiveIntegerField()
    """Bytes of the text in UTF-8."""
    test_count = models.PositiveIntegerField()
    author = models.CharField(max_length=AUTHOR)
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
