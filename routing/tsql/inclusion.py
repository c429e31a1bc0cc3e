"""Puts the files that `:r` names into the text of a script, as sqlcmd does before it sends a batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import PureWindowsPath

from routing.common.errors import InputError, Invalid
from routing.common.sentence import Sentence, say
from routing.tsql.batches import end_of_line
from routing.tsql.growth import ExpansionBudget, SqlcmdVariables, TooLarge
from routing.tsql.lexer import (
    AT_BLOCK,
    AT_COMMAND,
    AT_OPEN,
    EVENT,
    Unclosed,
    end_of_comment,
    is_command,
    sqlcmd_variable,
    substituted,
)
from routing.tsql.script_text import ScriptText, TextSection, one_file
from routing.tsql.sqlcmd import set_variable
from routing.tsql.unknown import without_value

Parts = tuple[str, ...]
"""The path of a file below the folder of a script: folders, then the name."""
Include = Callable[[str, Parts], tuple[str, str]]
"""Called with the name of a script and the path of a file below its folder; returns name and text of that file.

Raises `Invalid` with the reason if the file cannot be read."""
MAX_DEPTH = 16
MAX_FILES = 1_000
"""Limit of files that one script reads in, each counted as often as it is read."""
MAX_CHARS = 16 << 20
"""Limit of characters of all files that one script reads in."""
_INCLUDE = re.compile(r':r[ \t]+(?:"([^"]*)"|(.*))', re.IGNORECASE)
_COMMANDS = re.compile(r"^[^\S\n]*:", re.MULTILINE)
_LEAVE = re.compile(r":(?:quit|exit)\b", re.IGNORECASE)


def script_text(text: str, file: str, variables: Mapping[str, str], include: Include | None) -> ScriptText:
    """The text with its `:r` lines replaced by the files that they name; `variables` are those that are set before.

    Raises `InputError`, with the line, for a script that reads in too much.
    """
    if include is None or not names_read_in(text):
        return one_file(text, file)
    expansion = _Expansion(file, SqlcmdVariables(ExpansionBudget(len(text)), dict(variables)), include)
    try:
        expansion.add(text, file, (((PureWindowsPath(file).name,), file),))
    except TooLarge:
        return one_file(text, file)  # the reader of the script refuses it
    return expansion.result()


def names_read_in(text: str) -> list[str]:
    """Every name that a `:r` of the text reads in, as written."""
    return [name for _, _, line in _commands(text) if (name := _included(line))]


def _included(line: str) -> str | None:
    found = _INCLUDE.fullmatch(line)
    return (found[1] or found[2] or "").strip() if found else None


def _commands(text: str) -> Iterator[tuple[int, int, str]]:
    """Begin, end and text of each line with a command of sqlcmd, outside of strings and comments."""
    if _COMMANDS.search(text):
        with suppress(Unclosed):  # the reader of the script reports it
            yield from _commands_in(text)


def _commands_in(text: str) -> Iterator[tuple[int, int, str]]:
    position = 0
    while match := EVENT.match(text, position):
        position, kind = match.end(), match.lastindex
        if kind == AT_BLOCK:
            position = end_of_comment(text, match.start(AT_BLOCK))
        elif kind == AT_OPEN:
            return
        elif kind == AT_COMMAND and is_command(text, match.start(AT_COMMAND)):
            start = match.start(AT_COMMAND)
            position = end_of_line(text, start)
            yield start, position, text[start:position].rstrip()


def path_below(folder: Parts, name: str) -> Parts:
    """The path that a name means in `folder`, which is itself a path below the folder of the script.

    Both kinds of slashes separate. Raises `Invalid` for a name that leads out of the folder of the script.
    """
    path = PureWindowsPath(name)
    if path.drive or path.root or not path.parts:
        raise Invalid("", say("only files in the folder of the script are read, given by a path relative to it"))
    parts = list(folder)
    for part in path.parts:
        if part != "..":
            parts.append(part)
        elif not parts:
            raise Invalid("", say("it leads out of the folder of the script"))
        else:
            parts.pop()
    return tuple(parts)


class _Expansion:
    """The text so far, with where each piece comes from."""

    def __init__(self, script: str, variables: SqlcmdVariables, include: Include) -> None:
        self._script = script
        self._variables = variables
        self._include = include
        self._pieces: list[str] = []
        self._sections: list[TextSection] = []
        self._refused: dict[int, Sentence] = {}
        self._length = self._files = self._included_chars = 0
        self._line = 1
        self._has_left = False
        self._place = (script, 1)

    def result(self) -> ScriptText:
        return ScriptText("".join(self._pieces), tuple(self._sections), self._refused)

    def add(self, text: str, file: str, within: tuple[tuple[Parts, str], ...]) -> None:
        """Append a file; `within`: path and name of the files that read it in, its own last."""
        position = 0
        line = 1
        for start, end, command in _commands(text):
            if self._has_left:
                break
            name = self._run(command)
            if name is None:
                continue
            self._append(text[position:start], file, line)
            line += text.count("\n", position, start)
            position = start
            self._place = (file, line)
            try:
                self._add_included(name, within)
                position = end
            except Invalid as fault:
                self._refused[self._length] = fault.problem
        self._append(text[position:], file, line)

    def _run(self, command: str) -> str | None:
        """Run a command as far as it matters to `:r`; returns the name in a `:r`."""
        set_variable(command, self._variables)
        self._has_left = _LEAVE.match(command) is not None
        return _included(command)

    def _append(self, piece: str, file: str, line: int) -> None:
        self._sections.append(TextSection(self._length, self._line, file, line))
        self._pieces.append(piece)
        self._length += len(piece)
        self._line += piece.count("\n")

    def _add_included(self, name: str, within: tuple[tuple[Parts, str], ...]) -> None:
        """Append the file that a `:r` names. Raises `Invalid`, having changed nothing."""
        self._files += 1
        if self._files > MAX_FILES:
            raise self._too_much(say("this script reads in more than {limit} files", limit=f"{MAX_FILES:,}"))
        name = substituted(name, self._variables)
        if variable := sqlcmd_variable(name):
            raise Invalid("", without_value(variable))
        parts = path_below(within[-1][0][:-1], name)
        if len(within) > MAX_DEPTH:
            raise Invalid("", say("files that read in files may be nested {limit} deep", limit=MAX_DEPTH))
        try:
            file, text = self._include(self._script, parts)
        except InputError as error:
            raise Invalid("", error.problem) from None
        if any(_is_same(file, other) for _, other in within):
            raise Invalid("", say("the file would read itself in again"))
        self._included_chars += len(text)
        if self._included_chars > MAX_CHARS:
            raise self._too_much(
                say("all files that this script reads in have more than {limit} characters", limit=f"{MAX_CHARS:,}")
            )
        self.add(text, file, (*within, (parts, file)))

    def _too_much(self, problem: Sentence) -> InputError:
        file, line = self._place
        return InputError(file, f"line {line}", problem)


def _is_same(file: str, other: str) -> bool:
    return file.removeprefix("./") == other.removeprefix("./")
