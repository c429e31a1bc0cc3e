"""The text of a script, with the files that it reads in, and where each piece comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from routing.common.sentence import Sentence


class TextSection(NamedTuple):
    """A piece of a text that comes from one file."""

    start: int
    """Its first position in the whole text."""
    line: int
    """The line of the whole text at that position, from 1."""
    file: str
    line_in_file: int


@dataclass(frozen=True, slots=True)
class ScriptText:
    """A script with all files that it reads in."""

    text: str
    sections: tuple[TextSection, ...]
    """At least one, in their order."""
    refused: Mapping[int, Sentence] = field(default_factory=dict)
    """By position of a `:r`: why its file was not read in."""

    def section_at(self, position: int) -> TextSection:
        """The piece that contains a position."""
        if len(self.sections) == 1:
            return self.sections[0]
        return self.sections[bisect_right(self.sections, position, key=lambda section: section.start) - 1]


def one_file(text: str, file: str) -> ScriptText:
    """The text of a script that reads in no other file."""
    return ScriptText(text, (TextSection(0, 1, file, 1),))
