"""Storage of collected static files: named by content, compressed."""

from __future__ import annotations

from typing import Any

import brotli
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

QUALITY = 5
"""Brotli quality: files are a tenth larger than at 11, in a tenth of the time; the first start waits for it."""


class QuickCompressor(Compressor):
    """Compresses fast, since the first start waits for it."""

    @staticmethod
    def compress_brotli(data: bytes) -> Any:
        """Compress the content of one file."""
        return brotli.compress(data, quality=QUALITY)


class CollectedFiles(CompressedManifestStaticFilesStorage):
    """Named by their content, compressed; our modules of JavaScript import each other by these names."""

    # Django would read the scripts of libraries too, in whose comments imports stand that lead nowhere.
    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]),
    )

    def create_compressor(self, **options: Any) -> Compressor:
        """Return the fast compressor, with WhiteNoise's options."""
        return QuickCompressor(**options)
