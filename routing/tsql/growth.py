"""Limits what a script can expand to: `$(x)` of sqlcmd, concatenations, REPLICATE and strings that are run."""

from __future__ import annotations

from routing.common.sentence import Sentence, say

EXPANSION_FACTOR, FREE_EXPANSION_CHARS = 8, 4_000_000
"""A script may expand to this many times its own characters, and this many characters more."""
MAX_VARIABLE_CHARS = 65_536
"""Limit of characters of the value of one sqlcmd variable."""


class TooLarge(Exception):
    """The script expands beyond the limit; it is refused as a whole."""

    def __init__(self, problem: Sentence) -> None:
        super().__init__(problem)
        self.problem = problem


class ExpansionBudget:
    """The text that one script may still expand to, strings that it runs included."""

    def __init__(self, script_chars: int) -> None:
        self._limit = self._left = EXPANSION_FACTOR * script_chars + FREE_EXPANSION_CHARS

    def spend(self, chars: int) -> None:
        """Raise `TooLarge` where the script would expand beyond its limit."""
        self._left -= chars
        if self._left < 0:
            raise TooLarge(
                say(
                    "variables and strings expand this script to more than {limit} characters",
                    limit=f"{self._limit:,}",
                )
            )


class SqlcmdVariables:
    """The sqlcmd variables of one connection, by name without case; each use of a value counts."""

    def __init__(self, budget: ExpansionBudget, values: dict[str, str]) -> None:
        """`values` is changed: it has the variables that were set before, by name in lower case."""
        self._values = values
        self._budget = budget

    def get(self, name: str, default: str) -> str:
        value = self._values.get(name)
        if value is None:
            return default
        self._budget.spend(len(value))
        return value

    def set(self, name: str, value: str) -> None:
        """Set a variable. Raises `TooLarge`."""
        if len(value) > MAX_VARIABLE_CHARS:
            problem = say(
                "the value of the sqlcmd variable {name} is longer than {limit} characters",
                name=name[:40],
                limit=f"{MAX_VARIABLE_CHARS:,}",
            )
            raise TooLarge(problem)
        self._values[name.lower()] = value

    def forget(self, name: str) -> None:
        self._values.pop(name.lower(), None)
