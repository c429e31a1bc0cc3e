"""Reads CASE and IIF whose conditions are known before the script runs.

The literals of branches that are not taken count as sources of the value: where it is run, they are not.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from routing.tsql.constant_functions import are_equal
from routing.tsql.constant_reader import ConstantReader
from routing.tsql.constants import NULL, Constant, NotConstant, TextConstant, flat
from routing.tsql.cursor import FOLLOWERS
from routing.tsql.lexer import END, STRING, SYMBOL, WORD, SqlToken, words

MAX_SKIPPED_TOKENS = 500
"""Limit of tokens of a branch that is not taken; a CASE with a longer one is not known."""
_BRANCH_ENDS = words("when else end")
_COMMA, _CLOSING = frozenset((",",)), frozenset((")",))


def case_value(reader: ConstantReader, word: str) -> Constant:
    """The value of a CASE or of an IIF, after the word and its parenthesis. Raises `NotConstant`."""
    case = _CaseReader(reader)
    return case.with_sources(case.of_iif() if word == "IIF" else case.of_case())


class _CaseReader:
    """Reads one CASE or IIF."""

    def __init__(self, reader: ConstantReader) -> None:
        self._reader = reader
        self._passed: list[int] = []
        """Positions of the literals in branches that are not taken."""

    def with_sources(self, value: Constant) -> Constant:
        """The value, with the literals of the other branches among its sources."""
        if not isinstance(value, TextConstant) or not self._passed:
            return value
        whole = flat(value, self._reader.budget)
        return replace(whole, sources=(*whole.sources, *self._passed))

    def of_iif(self) -> Constant:
        reader = self._reader
        is_first = reader.answer()
        reader.expect(",")
        if not is_first:
            self._pass(_COMMA)
            reader.expect(",")
        found = reader.value()
        if is_first:
            reader.expect(",")
            self._pass(_CLOSING)
        reader.expect(")")
        return found

    def of_case(self) -> Constant:
        reader, compared = self._reader, self._compared()
        while reader.accept_word("WHEN"):
            is_taken = reader.answer() if compared is None else are_equal(compared, reader.value(), reader.budget)
            if not reader.accept_word("THEN"):
                raise NotConstant
            if is_taken:
                return self._last()
            self._pass(_BRANCH_ENDS)
        if reader.accept_word("ELSE"):
            return self._last()
        return self._ended(NULL)

    def _compared(self) -> Constant | None:
        """The value of `CASE value WHEN …`; None for a CASE with conditions."""
        return None if self._is_word(self._reader.ahead, "WHEN") else self._reader.value()

    def _last(self) -> Constant:
        found = self._reader.value()
        while not self._is_word(self._reader.ahead, "END"):
            self._reader.take()
            self._pass(_BRANCH_ENDS)
        return self._ended(found)

    def _ended(self, found: Constant) -> Constant:
        if not self._reader.accept_word("END"):
            raise NotConstant
        return found

    def _is_word(self, token: SqlToken, word: str) -> bool:
        return token.kind == WORD and token.text.upper() == word

    def _pass(self, ends: Set[str]) -> None:
        """Pass over a branch, up to one of these words or symbols. Raises `NotConstant` where the statement ends."""
        depth = cases = 0
        for _ in range(MAX_SKIPPED_TOKENS):
            token = self._reader.ahead
            word = token.text.lower() if token.kind == WORD else token.text if token.kind == SYMBOL else ""
            if not depth and not cases and word in ends:
                return
            if token.kind == END or (word in FOLLOWERS and not depth and word not in ("end", "else")):
                break
            depth += (word == "(") - (word == ")")
            cases += (word == "case") - (word == "end")
            if token.kind == STRING:
                self._passed.append(token.start + (token.raw[0] in "Nn"))
            self._reader.take()
        raise NotConstant
