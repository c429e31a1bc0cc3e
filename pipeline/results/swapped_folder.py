"""A plain folder that is written beside the former one and then takes its name, for a program that writes as it likes:
`spark-pipelines`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.files.location import Location
from pipeline.results.free_folder import check_replaceable, unwritable
from pipeline.results.output_folder import write_record
from pipeline.runtime.shutdown import SHUTDOWN


@dataclass(frozen=True, slots=True)
class SwappedFolder:
    """A folder beside the former one, whose name it takes."""

    folder: Path
    """The folder to write into, which is new."""
    place: Path
    former: Path

    @property
    def tables(self) -> Location:
        """The folder for the tables: the program runs beside them."""
        return self.folder

    def publish(self, record: dict[str, Any]) -> None:
        """Swap the folders. A signal waits: between the two renames neither result has the name."""
        with SHUTDOWN.deferred():
            write_record(self.folder, record)
            if self.place.exists():
                self.place.rename(self.former)
            self.folder.rename(self.place)


@contextmanager
def swapped_folder(name: str) -> Iterator[SwappedFolder]:
    """Begin a folder of this name. Unless it is published, nothing of it stays; the next run removes what a killed one
    left.

    Raises `InputError` if the folder cannot be written, or holds anything but a result of the pipeline.
    """
    place = Path(name).absolute()
    staging, former = (place.with_name(f".{place.name}.{word}") for word in ("new", "old"))
    try:
        check_replaceable(name)
        for left in (staging, former):
            shutil.rmtree(left, ignore_errors=True)
        staging.mkdir(parents=True)
    except OSError as error:
        raise unwritable(name, error) from None
    try:
        yield SwappedFolder(staging, place, former)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)
