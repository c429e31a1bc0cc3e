"""A place of a file or folder: a path of this machine, or a URL of a file system that Hadoop reaches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

_FILE: Final = "file"
_URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>.*)", re.DOTALL)
_SHORT: Final = re.compile(r"file:(?=/(?!/))", re.IGNORECASE)
"""A URL of this machine as Java writes it, with one slash."""


@dataclass(frozen=True, slots=True, order=True)
class RemoteLocation:
    """A place in a file system that a URL names. It has the parts of a path; files are reached by `file_system`."""

    store: str
    """Scheme and authority, as `s3a://traffic`."""
    path: PurePosixPath

    def __str__(self) -> str:
        return f"{self.store}{self.path}"

    def __truediv__(self, name: str | PurePosixPath) -> RemoteLocation:
        return RemoteLocation(self.store, self.path / name)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def stem(self) -> str:
        return self.path.stem

    @property
    def suffix(self) -> str:
        return self.path.suffix

    @property
    def suffixes(self) -> list[str]:
        return self.path.suffixes

    @property
    def parts(self) -> tuple[str, ...]:
        return self.path.parts

    @property
    def parent(self) -> RemoteLocation:
        return RemoteLocation(self.store, self.path.parent)

    def with_name(self, name: str) -> RemoteLocation:
        """Return the place of this name in the same folder."""
        return RemoteLocation(self.store, self.path.with_name(name))

    def relative_to(self, root: RemoteLocation) -> PurePosixPath:
        """Return the path below a folder. Raises `ValueError` if the place is not below it."""
        if root.store != self.store:
            raise ValueError(self)
        return self.path.relative_to(root.path)


Location = Path | RemoteLocation
"""A plain path is reached by Python, a URL by the file systems of Hadoop, with the settings of the Spark session."""


def location(name: str) -> Location:
    """Return the place that a user names as a path or as a URL."""
    found = _parts(name)
    if found is None:
        return Path(name)
    scheme, authority, path = found["scheme"].lower(), found["authority"], found["path"]
    if scheme == _FILE:
        # A URL of this machine has its odd characters encoded; in those of stores Hadoop takes them as they stand.
        path = unquote(path)
    return RemoteLocation(f"{scheme}://{authority}", PurePosixPath(f"/{path.strip('/')}"))


def _parts(name: str) -> re.Match[str] | None:
    return _URL.fullmatch(_SHORT.sub("file://", name, count=1))


def is_url(name: str) -> bool:
    """Return whether a name is a URL."""
    return _parts(name) is not None


def relative_name(place: Location, root: Location) -> str:
    """Return the name of a place below a folder, with slashes. Raises `ValueError` if it is not below it."""
    if isinstance(place, Path) and isinstance(root, Path):
        return place.relative_to(root).as_posix()
    if isinstance(place, Path) or isinstance(root, Path):
        raise ValueError(place)
    return str(place.relative_to(root))


def absolute_name(place: Location) -> str:
    """Return the name of a place that does not depend on the folder that this process is in."""
    return str(place.absolute()) if isinstance(place, Path) else str(place)


def one_name(name: str) -> str:
    """Return the one name of an absolute place, which records may have by its path or by its URL."""
    place = location(name)
    return name if isinstance(place, Path) else decoded_uri(place)


def spark_name(place: Location) -> str:
    """Return the name by which Spark reads and writes a place."""
    return str(place.resolve()) if isinstance(place, Path) else str(place)


def decoded_uri(place: Location) -> str:
    """Return the URI that Spark gives a place, decoded, and without `file:` where a place of this machine has one."""
    if isinstance(place, Path):
        return str(place.resolve())
    return str(place.path) if place.store == f"{_FILE}://" else str(place)
