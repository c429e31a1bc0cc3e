"""Where collected files go."""

from __future__ import annotations

from typing import Any

import brotli
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

QUALITY = 5
"""A tenth larger than at 11, in a tenth of the time: a first start waits for it."""


class QuickCompressor(Compressor):
    """Does not keep a first start waiting."""

    @staticmethod
    def compress_brotli(data: bytes) -> Any:
        """Of one file."""
        return brotli.compress(data, quality=QUALITY)


class CollectedFiles(CompressedManifestStaticFilesStorage):
    """Named by their content, compressed."""

    def create_compressor(self, **options: Any) -> Compressor:
        """Quick; the rest is as it comes."""
        return QuickCompressor(**options)
