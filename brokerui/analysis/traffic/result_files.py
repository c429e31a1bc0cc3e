"""The files of a result, which a path or a URL names. Arrow reads those of a URL, without Java."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from routing.common.errors import InputError
from routing.common.sentence import say

_ARROW_SCHEMES = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
"""Schemes of Hadoop that Arrow knows by another name."""


class ResultFolder(Protocol):
    """The folder of a result."""

    @property
    def name(self) -> str:
        """The folder in messages: as it was named, without the secrets that a URL may hold."""

    @property
    def lasting_name(self) -> str:
        """The name that does not depend on the folder that a process is in."""

    def opened(self, path: str) -> Any:
        """Open a file below the folder for reading. Raises `OSError`."""

    def size(self, path: str) -> int:
        """Return the bytes of a file. Raises `OSError`."""


@dataclass(frozen=True, slots=True)
class PlainFolder:
    """A folder of this machine."""

    folder: Path

    @property
    def name(self) -> str:
        return str(self.folder)

    @property
    def lasting_name(self) -> str:
        return str(self.folder.absolute())

    def opened(self, path: str) -> Any:
        """Open a file below the folder for reading."""
        return (self.folder / path).open("rb")

    def size(self, path: str) -> int:
        """Return the bytes of a file."""
        return (self.folder / path).stat().st_size


@dataclass(frozen=True, slots=True)
class RemoteFolder:
    """A folder in a store that Arrow reaches."""

    name: str
    store: Any
    """The file system of Arrow."""
    path: str

    @property
    def lasting_name(self) -> str:
        return self.name

    def opened(self, path: str) -> Any:
        """Open a file below the folder for reading."""
        with _named(f"{self.name}/{path}"):
            self._check_store()
            return self.store.open_input_file(f"{self.path}/{path}")

    def size(self, path: str) -> int:
        """Return the bytes of a file."""
        with _named(f"{self.name}/{path}"):
            found: int | None = self.store.get_file_info(f"{self.path}/{path}").size
        if found is None:
            raise FileNotFoundError(errno.ENOENT, "is not there", f"{self.name}/{path}")
        return found

    def _check_store(self) -> None:
        """Tell a bucket that is not there from a file that is not."""
        bucket = self.store.get_file_info(self.path.strip("/").partition("/")[0])
        if self.store.type_name in ("s3", "gcs", "abfs") and bucket.type.name == "NotFound":
            raise OSError(errno.ENXIO, "the store is not there", self.name)


def result_folder(name: str) -> ResultFolder:
    """Return the folder that a user names by a path or a URL. Raises `InputError` for a scheme that nothing reads."""
    parts = urlsplit(name)
    if not parts.scheme or not name.startswith(f"{parts.scheme}:/"):
        return PlainFolder(Path(name))
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
    store, path = _reached(name, parts.scheme.lower(), shown)
    return RemoteFolder(shown, store, path.rstrip("/"))


def _reached(url: str, scheme: str, shown: str) -> tuple[Any, str]:
    # Most of the product runs without it.
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional, and only a URL needs it
        from pyarrow import fs  # noqa: PLC0415 - the same
    except ImportError:
        raise InputError("pyarrow", "", say("is not installed; it comes with brokerui[pipeline]")) from None
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(_ARROW_SCHEMES.get(scheme, scheme) + url[len(scheme) :])
    except (OSError, pa.ArrowException) as error:
        if _is_unknown(error):
            raise InputError(shown, "", say("nothing here reads {scheme}://", scheme=scheme)) from None
        raise InputError(shown, "", say("cannot be read: {reason}", reason=str(error).partition("\n")[0])) from None
    return found


def _is_unknown(error: Exception) -> bool:
    """Return whether Arrow has no code for a scheme, or no library of Hadoop."""
    return "Unrecognized filesystem" in str(error) or "libjvm" in str(error) or "libhdfs" in str(error)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Give an error of Arrow, whose text alone says what happened, the parts that those of Python have."""
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "is not there", name) from None
    except OSError as error:
        if error.filename is not None:
            raise
        kind = PermissionError if "ACCESS_DENIED" in str(error) or "Forbidden" in str(error) else OSError
        raise kind(errno.EIO, str(error).partition("\n")[0], name) from None
