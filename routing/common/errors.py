"""The two errors of the engine.

- `Invalid`: a value breaks a limit or a rule of SQL Server; raised by its constructor, names the field.
- `InputError`: a file or argument of the user was refused; names the file, the place in it and the reason.
"""

from __future__ import annotations

from routing.common.sentence import Sentence, Translate, say

MAX_SHOWN_CHARS = 500
"""An error shows this much of a problem: a name in a hostile file may have 100,000 characters."""


class Invalid(ValueError):
    """A value that no estate may hold; raised before anything is created from it."""

    def __init__(self, path: str, problem: Sentence) -> None:
        super().__init__(path, problem)
        self.path = path
        """The field, as a JSON path below the value that was being made, e.g. `routes[2].address`."""
        self.problem = problem

    def below(self, parent: str) -> Invalid:
        """The same error with the path extended by the enclosing value."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        return Invalid(f"{parent}{dot}{self.path}", self.problem)

    def render(self, translate: Translate = str) -> str:
        """`PATH: PROBLEM`."""
        problem = self.problem.render(translate)
        return f"{self.path}: {problem}" if self.path else problem

    def __str__(self) -> str:
        return self.render()


class InputError(Exception):
    """A file or an argument that was refused as a whole; no part of it was used."""

    def __init__(self, where: str, path: str, problem: Sentence) -> None:
        super().__init__(where, path, problem)
        self.where = where
        """The file, as the user named it, or the argument."""
        self.path = path
        """JSON path or line inside it; empty when the whole is meant."""
        self.problem = problem

    def render(self, translate: Translate = str) -> str:
        """`WHERE: PATH: PROBLEM`, on one line that any terminal can show."""
        problem = self.problem.render(translate)
        if len(problem) > MAX_SHOWN_CHARS:
            problem = problem[:MAX_SHOWN_CHARS] + "…"
        parts = [*(part for part in (self.where, self.path) if part), problem]
        return _printable(" ".join(": ".join(parts).split()))

    def __str__(self) -> str:
        return self.render()


def _printable(text: str) -> str:
    """Escape every character that is not printable, so that no name in a file can control the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def must_be(what: Sentence | str, got: object) -> Sentence:
    """`must be WHAT, not GOT`, with GOT cut to a readable length."""
    return say("must be {what}, not {got}", what=what, got=shortened(got))


def shortened(value: object, limit: int = 80) -> Sentence | str:
    """A value as JSON shows it, cut to `limit` characters, so that an error stays one line."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return say("an object")
    if isinstance(value, (list, tuple)):
        return say("an array")
    text = value[: limit + 1].encode("unicode_escape").decode("ascii") if isinstance(value, str) else repr(value)
    text = text if len(text) <= limit else text[:limit] + "…"
    return f'"{text}"' if isinstance(value, str) else text
