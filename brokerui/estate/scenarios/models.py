"""An uploaded estate document, and its state."""

from django.db import models


class Scenario(models.Model):
    """An estate document as it was given, never changed afterwards."""

    name = models.SlugField(max_length=80, unique=True)
    """The name in addresses: `?scenario=NAME`."""
    title = models.CharField(max_length=200)
    document = models.BinaryField()
    """The bytes that came, packed with zlib: these documents shrink to a tenth."""
    size = models.PositiveBigIntegerField()
    """Bytes before packing."""
    sha256 = models.CharField(max_length=64)
    """Digest of the uploaded bytes. The same document is parsed once, however many scenarios hold it."""
    instances = models.PositiveIntegerField()
    databases = models.PositiveIntegerField()
    services = models.PositiveIntegerField()
    routes = models.PositiveIntegerField()
    is_read = models.BooleanField(default=True)
    """Whether it is an estate, as far as anybody has read it; until then nobody is shown it, and the counts are 0."""
    problem = models.TextField(blank=True)
    """Why it is none, as a sentence in JSON; `problem_path` says where in it."""
    problem_path = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["-created", "-id"]

    def __str__(self) -> str:
        return self.title
