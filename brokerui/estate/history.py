"""The versions of the live estate as a folder of documents, each with the moment since which it holds."""

from __future__ import annotations

import re
from pathlib import Path

from brokerui.estate.models import Version
from brokerui.estate.selectors import estate_as_of
from routing.common.errors import InputError
from routing.common.sentence import say
from routing.documents.estate_document import write_estate

NAME = "version-{:06}.json"
_OURS = re.compile(r"version-\d{6,}\.json(\.part)?")


def history_write(folder: Path) -> int:
    """A document for each version, oldest first; how many there are.

    A folder that holds a history already is brought up to date. Raises `InputError` for one that holds other things,
    before anything is written.
    """
    _prepare(folder)
    moments = Version.objects.order_by("number").values_list("number", "created_at")
    for number, moment in moments:
        text = write_estate(estate_as_of(version=number).estate, valid_from=moment)
        _write_whole(folder / NAME.format(number), text)
    _drop_others(folder, {NAME.format(number) for number, _ in moments})
    return len(moments)


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = sorted(path.name for path in folder.iterdir() if not _OURS.fullmatch(path.name))
    except OSError as error:
        raise _unwritable(folder, error) from None
    if strangers:
        raise InputError(str(folder), "", say("holds {name}, which is not of a history", name=strangers[0]))


def _write_whole(path: Path, text: str) -> None:
    """Write the file whole or not at all: a reader of the folder never sees half a document."""
    part = path.with_suffix(".json.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _drop_others(folder: Path, names: set[str]) -> None:
    """Documents of versions that are no more: the folder was written from another database."""
    for path in folder.iterdir():
        if path.name not in names and _OURS.fullmatch(path.name):
            path.unlink()


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(str(path), "", say("cannot be written: {reason}", reason=error.strerror or str(error)))
