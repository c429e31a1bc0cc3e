"""plotly.js from the package on PyPI, served as a static file of ours: nothing is copied into the sources."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

PREFIX = "plotly"
FILE = "plotly.min.js"


def _folder() -> Path:
    """Where the package keeps it; the package itself is slow to import, and only looked for."""
    found = find_spec("plotly")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "package_data"


class PlotlyFinder(BaseFinder):
    """Finds the one file; what else is in its folder is not for the web."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._storage = FileSystemStorage(location=_folder())
        self._storage.prefix = PREFIX  # type: ignore[attr-defined]  # collecting files asks for it

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        """Where `plotly/plotly.min.js` is."""
        if path != f"{PREFIX}/{FILE}":
            return []
        found = self._storage.path(FILE)
        return [found] if find_all else found

    def check(self, **_: Any) -> list[Any]:
        """Nothing in the settings can be wrong."""
        return []

    def list(self, ignore_patterns: Iterable[str] | None) -> Any:
        """The file with its storage."""
        yield FILE, self._storage
