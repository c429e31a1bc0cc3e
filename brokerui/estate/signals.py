"""Signals of the estate for other packages."""

from django.dispatch import Signal

version_written = Signal()
"""The live estate has a new version, and its transaction is committed. Messaging and lint listen, in their `apps`."""

estate_read = Signal()
"""An estate (`estate`, with the content's `key`) was read beside requests, and is about to be found by them."""
