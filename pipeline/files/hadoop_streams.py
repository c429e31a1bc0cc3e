"""Streams of Java as files of Python."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from pipeline.files.hadoop_errors import reported

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

    from pipeline.files.location import Location


class HadoopReader(io.RawIOBase):
    """A file that Java reads, at any position."""

    def __init__(self, stream: Any, size: int, place: Location) -> None:
        self._stream, self._size, self._place, self._at = stream, size, place, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        wanted = min(len(room), self._size - self._at)
        if wanted <= 0:
            return 0
        with reported(self._place):
            self._stream.seek(self._at)
            found = bytes(self._stream.readNBytes(wanted))
        room[: len(found)] = found
        self._at += len(found)
        return len(found)

    def close(self) -> None:
        if not self.closed:
            with reported(self._place):
                self._stream.close()
        super().close()


class HadoopWriter(io.RawIOBase):
    """A file that Java writes. Object stores show it when it is closed."""

    def __init__(self, stream: Any, place: Location) -> None:
        self._stream, self._place, self._at = stream, place, 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, content: ReadableBuffer) -> int:
        octets = bytes(content)
        with reported(self._place):
            self._stream.write(octets)
        self._at += len(octets)
        return len(octets)

    def close(self) -> None:
        if not self.closed:
            try:
                super().close()
            finally:
                with reported(self._place):
                    self._stream.close()
