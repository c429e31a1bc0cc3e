"""A script as a user wrote it, carried on to what the draft has now: its comments and its order stay.

Each statement stays as long as the draft has what it makes. One whose object was changed elsewhere gives way to the
statement of now, and keeps its comments. A statement whose object is gone is left out with its comments; statements
of new objects follow at the end.
How a script is cut into statements is only a guess: a text is shown only once reading it gave the draft as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from routing.model.estate import Estate

Read = Callable[[str], Estate | None]
"""Returns what a script makes of the base; None where it is refused."""
Rest = Callable[[Estate], str]
"""Returns the script from there to the draft as it is now; empty: nothing is left to be done."""

_BEGINS: Final = re.compile(r"\s*(?:create|alter|drop|use|go|exec|execute|-- brokerui:)\b", re.IGNORECASE)
_CONTEXT: Final = re.compile(r"\s*(?:use|go)\b", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s*(?:$|--(?! brokerui:))")
_NAME: Final = re.compile(r"\[(?:[^\]]|\]\])+\]")
MOST: Final = 60
"""Statements that are looked at one by one; the rest of a longer script is added at its end."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement, with the comments that stand before it."""

    comments: str
    statement: str

    @property
    def text(self) -> str:
        return self.comments + self.statement

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name.casefold() for name in _NAME.findall(self.statement))


def carried_on(kept: str, read: Read, rest: Rest) -> str | None:
    """Return the script as it was kept, with the changes since then; None where reading that gives something else."""
    made = read(kept)
    if made is None:
        return None
    left = rest(made)
    if not left:
        return kept
    return _joined(_changed(pieces_of(kept), left, read, rest), read, rest)


def _changed(pieces: list[Piece], left: str, read: Read, rest: Rest) -> list[Piece]:
    """Let each statement whose object was changed go, or give way to the statement of now."""
    for index in [index for index, piece in enumerate(pieces[:MOST]) if _is_statement(piece)]:
        wanted = frozenset().union(*(one.names for one in pieces_of(left)))
        if not left or not pieces[index].names & wanted:
            continue
        for other in _without(pieces, index, read, rest):
            made = read(_text(other))
            less = left if made is None else rest(made)
            if len(_statements(less)) < len(_statements(left)):
                pieces, left = other, less
                break
    return pieces


def _without(pieces: list[Piece], index: int, read: Read, rest: Rest) -> list[list[Piece]]:
    """Return the script without a statement, and before it, with the statements of now in its place."""
    gone = [*pieces[:index], replace(pieces[index], statement=""), *pieces[index + 1 :]]
    dropped = [*pieces[:index], *pieces[index + 1 :]]
    made = read(_text(gone))
    if made is None:
        return []
    of_now = [one.statement for one in _statements(rest(made)) if one.names & pieces[index].names]
    if not of_now:
        return [dropped]
    put = replace(pieces[index], statement="".join(_ended(one) for one in of_now))
    return [[*pieces[:index], put, *pieces[index + 1 :]], dropped]


def _joined(pieces: list[Piece], read: Read, rest: Rest) -> str | None:
    """Return the pieces and what they leave to be done; None where reading that would not give the draft."""
    text = _text(pieces).strip()
    made = read(text)
    if made is None:
        return None
    left = rest(made)
    whole = f"{text}\n\n{left}" if left and text else text or left
    again = read(whole)
    return whole if again is not None and not rest(again) else None


def pieces_of(text: str) -> list[Piece]:
    """Cut a script where a line begins with a word that begins statements, after the comments before it."""
    found: list[tuple[list[str], list[str]]] = [([], [])]
    waiting: list[str] = []
    for line in text.splitlines(keepends=True):
        if _COMMENT.match(line):
            waiting.append(line)
        elif _BEGINS.match(line):
            found.append((waiting, [line]))
            waiting = []
        else:
            found[-1][1].extend([*waiting, line])
            waiting = []
    found.append((waiting, []))
    return [Piece("".join(comments), "".join(lines)) for comments, lines in found if comments or lines]


def _is_statement(piece: Piece) -> bool:
    return bool(piece.statement) and not _CONTEXT.match(piece.statement)


def _statements(text: str) -> list[Piece]:
    return [piece for piece in pieces_of(text) if _is_statement(piece)]


def _ended(statement: str) -> str:
    return statement if statement.endswith("\n") else f"{statement}\n"


def _text(pieces: Sequence[Piece]) -> str:
    return "".join(_ended(piece.text) for piece in pieces)
