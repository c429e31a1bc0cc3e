"""Evaluates conditions of IF and WHILE: constants, and whether databases and objects of Service Broker are there."""

from __future__ import annotations

from collections.abc import Callable

from routing.common.sentence import say
from routing.tsql.catalog_queries import CatalogQueries, ConditionValue
from routing.tsql.condition_answer import ConditionAnswer
from routing.tsql.constant_reader import ConstantReader
from routing.tsql.constants import NotConstant, Null, TextConstant
from routing.tsql.cursor import FOLLOWERS
from routing.tsql.growth import ExpansionBudget
from routing.tsql.known_objects import KnownObjects
from routing.tsql.lexer import END, SYMBOL, WORD

MAX_DEPTH = 32
"""Limit of nested parentheses and NOT in a condition; a deeper one counts as unknown."""
MAX_PASSED_TOKENS = 200
"""Limit of tokens of a part of a condition that is passed over; with a longer one the whole condition is unknown."""
_STATEMENTS = frozenset(("IF", "WHILE", "BEGIN", "DECLARE", "EXEC", "EXECUTE", "CREATE", "DROP", "PRINT", "USE"))
"""Words that begin a statement and never stand in parentheses."""
_ENDS = FOLLOWERS | {"then"}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    ">": lambda one, other: one > other,
    "<=": lambda one, other: one <= other,
    ">=": lambda one, other: one >= other,
}


def condition_answer(reader: ConstantReader, known: KnownObjects, budget: ExpansionBudget) -> ConditionAnswer:
    """Read the condition at the reader. Raises `Unclosed` and `TooLarge`."""
    found = _ConditionReader(reader, known, budget)
    try:
        value = found.read()
    except NotConstant:
        return ConditionAnswer(None)
    facts = found.queries.facts
    why = facts[0][1] if facts else say("its values are known")
    subjects = {(kind, name) for (kind, name), _ in facts} | set(found.queries.open)
    subject = next(iter(subjects)) if len(subjects) == 1 and not found.is_open_otherwise else None
    return ConditionAnswer(value, subject, why)


class _ConditionReader:
    """Reads one condition: True, False, or None if only a run of the script can tell."""

    def __init__(self, reader: ConstantReader, known: KnownObjects, budget: ExpansionBudget) -> None:
        self._reader = reader
        self._budget = budget
        self._depth = 0
        self.queries = CatalogQueries(reader, known, budget)
        self.is_open_otherwise = False
        """True if a part of the condition could not be read."""

    def read(self) -> bool | None:
        """The answer of the whole condition, up to the statement under it."""
        value = self._either()
        return value if self._ends() else None

    def _ends(self) -> bool:
        token = self._reader.ahead
        if token.kind == WORD:
            return token.text.lower() in _ENDS
        return token.kind == END or (token.kind == SYMBOL and token.text in ";),")

    def _either(self) -> bool | None:
        value = self._both()
        while self._reader.accept_word("OR"):
            other = self._both()
            value = True if value or other else None if None in (value, other) else False
        return value

    def _both(self) -> bool | None:
        value = self._negation()
        while self._reader.accept_word("AND"):
            other = self._negation()
            value = False if value is False or other is False else None if None in (value, other) else True
        return value

    def _negation(self) -> bool | None:
        if self._reader.accept_word("NOT"):
            value = self._deeper(self._negation)
            return None if value is None else not value
        return self._predicate()

    def _deeper(self, read: Callable[[], bool | None]) -> bool | None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotConstant
        value = read()
        self._depth -= 1
        return value

    def _predicate(self) -> bool | None:
        """A test or a comparison; one that cannot be read is passed over, and unknown."""
        depth = self._depth
        try:
            return self._known_predicate()
        except NotConstant:
            self._depth = depth
            if depth > MAX_DEPTH - 1:
                raise
            self.is_open_otherwise = True
            self._pass_over()
            return None

    def _known_predicate(self) -> bool | None:
        reader = self._reader
        if reader.accept_word("EXISTS"):
            return self.queries.exists()
        if reader.ahead.text == "(" and reader.ahead.kind == SYMBOL and not self.queries.is_query():
            reader.take()
            value = self._deeper(self._either)
            reader.expect(")")
            if not self._ends() and reader.ahead.text.upper() not in ("AND", "OR"):
                raise NotConstant  # it was a value in parentheses
            return value
        return self._comparison()

    def _comparison(self) -> bool | None:
        one = self.queries.value()
        if self._reader.accept_word("IS"):
            is_not = self._reader.accept_word("NOT")
            if not self._reader.accept_word("NULL"):
                raise NotConstant
            return None if one is None else isinstance(one, Null) is not is_not
        comparison = self._operator()
        other = self.queries.value()
        if one is None or other is None:
            return None
        return self._compared(one, comparison, other)

    def _operator(self) -> str:
        text = ""
        while self._reader.ahead.kind == SYMBOL and self._reader.ahead.text in "=<>!" and len(text) < 2:
            text += self._reader.take().text
        if text not in _COMPARISONS:
            raise NotConstant
        return text

    def _compared(self, one: ConditionValue, comparison: str, other: ConditionValue) -> bool | None:
        if isinstance(one, int) and isinstance(other, int):
            return _COMPARISONS[comparison](one, other)
        if not isinstance(one, TextConstant) or not isinstance(other, TextConstant) or comparison in ("<", ">"):
            return None
        texts = [self.queries.text(part).rstrip(" ") for part in (one, other)]
        if texts[0] != texts[1] and texts[0].casefold() == texts[1].casefold():
            return None  # the collation decides
        return (texts[0] == texts[1]) is (comparison == "=") if comparison in ("=", "<>", "!=") else None

    def _pass_over(self) -> None:
        """Skip to the AND, OR or parenthesis after what cannot be read, or to the statement."""
        depth = 0
        for _ in range(MAX_PASSED_TOKENS):
            token = self._reader.ahead
            word = token.text.upper() if token.kind == WORD else ""
            if depth == 0 and (word in ("AND", "OR") or self._ends()):
                return
            if token.kind == END:
                return
            if word in _STATEMENTS:
                raise NotConstant  # a parenthesis is not closed
            depth += (token.text == "(") - (token.text == ")") if token.kind == SYMBOL else 0
            self._reader.take()
        raise NotConstant
