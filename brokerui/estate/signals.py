"""What others may listen to."""

from django.dispatch import Signal

version_written = Signal()
"""The live estate has a new version, and its transaction is committed."""
