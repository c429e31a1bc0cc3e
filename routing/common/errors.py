"""What goes wrong, who is at fault, and where.

- `Invalid`: a value that cannot be, raised where the value is made; it names the field.
- `InputError`: an input of the user's that was refused, with the file, the place in it and the reason.
"""

from __future__ import annotations

from routing.common.sentence import Sentence, Translate, say

LONGEST = 500
"""Characters of a problem that an error shows: a name in a hostile file may have a hundred thousand."""


class Invalid(ValueError):
    """A value that no estate may hold. The caller gave it; nothing was made of it."""

    def __init__(self, path: str, problem: Sentence) -> None:
        super().__init__(path, problem)
        self.path = path
        """The field, as a JSON path below the value that was being made, e.g. `routes[2].address`."""
        self.problem = problem

    def below(self, parent: str) -> Invalid:
        """The same fault, seen from the value that contains this one."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        return Invalid(f"{parent}{dot}{self.path}", self.problem)

    def render(self, translate: Translate = str) -> str:
        """`PATH: what is wrong`."""
        problem = self.problem.render(translate)
        return f"{self.path}: {problem}" if self.path else problem

    def __str__(self) -> str:
        return self.render()


class InputError(Exception):
    """A file or an argument that was refused as a whole: nothing of it was used."""

    def __init__(self, where: str, path: str, problem: Sentence) -> None:
        super().__init__(where, path, problem)
        self.where = where
        """The file, as the user named it, or the argument."""
        self.path = path
        """JSON path or line inside it; empty when the whole is meant."""
        self.problem = problem

    def render(self, translate: Translate = str) -> str:
        """`WHERE: PATH: what is wrong`, on one line that any terminal can show."""
        problem = self.problem.render(translate)
        if len(problem) > LONGEST:
            problem = problem[:LONGEST] + "…"
        parts = [*(part for part in (self.where, self.path) if part), problem]
        return _printable(" ".join(": ".join(parts).split()))

    def __str__(self) -> str:
        return self.render()


def _printable(text: str) -> str:
    """With escapes for what no terminal shows, or obeys: names in a hostile file are shown as they are."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def must_be(what: Sentence | str, got: object) -> Sentence:
    """`must be WHAT, not GOT`, with what was given cut to a readable length."""
    return say("must be {what}, not {got}", what=what, got=shortened(got))


def shortened(value: object, limit: int = 80) -> Sentence | str:
    """A value as JSON would show it, cut: an error must stay one line however long the input is."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return say("an object")
    if isinstance(value, (list, tuple)):
        return say("an array")
    text = value[: limit + 1].encode("unicode_escape").decode("ascii") if isinstance(value, str) else repr(value)
    text = text if len(text) <= limit else text[:limit] + "…"
    return f'"{text}"' if isinstance(value, str) else text
