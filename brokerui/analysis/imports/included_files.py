"""Files of one import that its scripts read in with `:r`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath

from brokerui.analysis.imports.sources import Source
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.tsql.encodings import script_from, text_from
from routing.tsql.inclusion import Parts, names_read_in


@dataclass(frozen=True, slots=True)
class SentAlong:
    """Finds the files that scripts read in among those that were sent with them."""

    sources: Sequence[Source]

    def __call__(self, script: str, parts: Parts) -> tuple[str, str]:
        """Name and text of the file at this path below the folder of `script`.

        Browsers send no folders: the name alone decides where no path fits. Raises `Invalid`, `InputError`.
        """
        path = (*_parts(script)[:-1], *parts)
        found = [source for source in self.sources if _parts(source.name) == _folded(path)]
        found = found or [source for source in self.sources if _parts(source.name)[-1:] == _folded(parts[-1:])]
        if not found:
            raise Invalid("", say("it is none of the files that were sent along"))
        if len(found) > 1:
            raise Invalid("", say("{count} of the files that were sent along have this name", count=len(found)))
        one = found[0]
        return one.name, script_from(one.load(), where=one.name, encoding=one.encoding)


def without_read_in(scripts: Sequence[Source]) -> list[Source]:
    """The scripts without those that another one reads in: they do not run a second time by themselves.

    Scripts that read in each other all stay.
    """
    wanted = [
        set(map(_name, names_read_in(text_from(one.load(), where=one.name, encoding=one.encoding)))) for one in scripts
    ]
    count = Counter(_name(one.name) for one in scripts)
    left = [
        one
        for position, one in enumerate(scripts)
        if count[_name(one.name)] > 1
        or not any(_name(one.name) in names for other, names in enumerate(wanted) if other != position)
    ]
    return left or list(scripts)


def _parts(name: str) -> Parts:
    return _folded(PureWindowsPath(name).parts)


def _folded(parts: Parts) -> Parts:
    return tuple(part.casefold() for part in parts)


def _name(path: str) -> str:
    return PureWindowsPath(path).name.casefold()
