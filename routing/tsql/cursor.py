"""A cursor over the tokens of one statement: takes the expected token, or raises why the statement cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from routing.common.sentence import Sentence, say
from routing.tsql.lexer import (
    END,
    NUMBER,
    QUOTED,
    STRING,
    SYMBOL,
    TEMPLATE,
    WORD,
    SqlToken,
    Unclosed,
    VariableValues,
    continued,
    next_token,
    sqlcmd_variable,
    substituted,
    words,
)
from routing.tsql.refusal import VALUE_NOT_LITERAL, NotApplied, not_understood, refused
from routing.tsql.unknown import SHOWN, open_places, shown, unknown_values

Convert = Callable[["TokenCursor"], Any]
TYPOGRAPHIC = frozenset("\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u00b4`")
"""Quotation marks that text processors make of ' and "."""

FOLLOWERS = words(
    """
    add alter backup begin break bulk checkpoint close commit continue create dbcc deallocate declare delete deny
    disable drop else enable end exec execute fetch get goto grant if insert kill merge move open print raiserror
    receive reconfigure restore return revert revoke rollback save select send set shutdown throw truncate update use
    waitfor while with
    """
)
"""Words that begin the next statement, if no semicolon ends this one."""
NOT_NAMES = (FOLLOWERS - words("disable enable get move receive send throw")) | words(
    "and as authorization by for from in is like not null on or to"
)
"""Reserved words, which are names only in brackets."""
_A_NAME = say("a name")
_NAMES = (QUOTED, TEMPLATE)
_VERBS = frozenset(("create", "alter", "drop"))


class TokenCursor:
    """Looks one token ahead. Replaces `$(x)` by the value of the sqlcmd variable if it is known."""

    __slots__ = ("_position", "_queued", "_text", "_variables", "ahead", "named", "position", "unclosed", "unknown")

    def __init__(self, text: str, position: int, variables: VariableValues) -> None:
        self._text = text
        self._variables = variables
        self._position = position
        self.position = position
        """The end of the last token taken."""
        self.unclosed: Unclosed | None = None
        """A string, name or comment without an end, if the cursor met one."""
        self.named: tuple[str, ...] | None = None
        """The first name that was read."""
        self.unknown: list[str] = []
        """Placeholders in the place of needed values, as written; reading continues after them."""
        self._queued: list[SqlToken] = []
        self.ahead = self._read()
        """The next token."""

    def _read(self) -> SqlToken:
        while not self._queued:
            try:
                token = next_token(self._text, self._position)
            except Unclosed as fault:
                # What stands before it may be a whole statement.
                self.unclosed = fault
                return SqlToken(END, "", fault.start, fault.start, "")
            self._position = token.end
            raw = token.raw
            if "$(" not in raw or (expanded := substituted(raw, self._variables)) == raw:
                return token
            self._queued = _tokens(expanded, token)[::-1]
        return self._queued.pop()

    @property
    def second(self) -> SqlToken:
        """The text of the token after the next one."""
        return next_token(self._text, self.ahead.end)

    def take(self) -> SqlToken:
        token = self.ahead
        self.position = token.end
        self.ahead = self._read()
        return token

    def is_word(self, word: str) -> bool:
        """True if this keyword is next."""
        return self.ahead.kind == WORD and self.ahead.text.upper() == word

    def accept(self, *words: str) -> bool:
        """Take these keywords if the first one is next; the others must follow then."""
        if not self.is_word(words[0]):
            return False
        self.take()
        if len(words) > 1:
            self.expect(*words[1:])
        return True

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.is_word(word):
                raise self.unexpected(word)
            self.take()

    def accept_symbol(self, symbol: str) -> bool:
        if self.ahead.kind != SYMBOL or self.ahead.text != symbol:
            return False
        self.take()
        return True

    def expect_symbol(self, symbol: str) -> None:
        if not self.accept_symbol(symbol):
            raise self.unexpected(symbol)

    def unexpected(self, wanted: Sentence | str) -> NotApplied:
        """The error for an unexpected token."""
        token = self.ahead
        if self.is_open:
            return self._not_literal(token.raw)
        if token.kind == END:
            return not_understood(say("{wanted} is expected where the batch ends", wanted=wanted))
        problem = say("{wanted} is expected before {got}", wanted=wanted, got=shown(token.raw))
        if token.raw[:1] in TYPOGRAPHIC:
            problem = say(
                "{problem}: that is a quotation mark of a text processor, and SQL Server takes ' alone", problem=problem
            )
        return not_understood(problem)

    @property
    def is_open(self) -> bool:
        """True if a variable without a value, or a template, is next."""
        token = self.ahead
        return token.kind == TEMPLATE or (token.kind == WORD and "$(" in token.raw and bool(sqlcmd_variable(token.raw)))

    def name(self, most: int = 1) -> tuple[str, ...]:
        """A name of at most `parts` parts; parts left out between two dots are empty."""
        parts = [self.identifier()]
        while self.accept_symbol("."):
            parts.append("" if self.ahead.text == "." else self.identifier())
        if self.named is None:
            self.named = tuple(parts)
        if len(parts) > most:
            raise not_understood(
                say("the name {name} has more than {most} parts", name=shown(".".join(parts)), most=most)
            )
        return tuple(parts)

    def identifier(self) -> str:
        token = self.ahead
        if token.kind == WORD:
            if token.text.lower() in NOT_NAMES:
                raise self.unexpected(_A_NAME)
        elif token.kind not in _NAMES:
            raise self.unexpected(_A_NAME)
        raw = token.raw
        if raw[0] == "@" or "$(" in raw or "<" in raw:
            self._look_for_unknown(token)
        if not token.text:
            raise refused(1038, say("a name is empty"))
        return self.take().text

    def any_name(self) -> str:
        """A name that does not matter, or a string in its place; may be unknown."""
        known = len(self.unknown)
        name = self.take().text if self.ahead.kind == STRING else self.identifier()
        del self.unknown[known:]
        return name

    def string(self) -> str:
        """The value of a string literal; with QUOTED_IDENTIFIER off also in double quotes."""
        token = self.ahead
        if token.kind == STRING or (token.kind == QUOTED and token.raw[0] == '"'):
            if "$(" in token.raw or "<" in token.raw:
                self._look_for_unknown(token)
        elif not self._is_unknown(token):
            raise self._no_value(say("a string"))
        self.take()
        self._no_operator(token)
        return token.text if token.kind == STRING else continued(token.text)

    def integer(self) -> int:
        """A whole number with its sign."""
        sign = -1 if self.accept_symbol("-") else 1
        token = self.ahead
        is_number = token.kind == NUMBER and len(token.text) <= 20
        if not is_number and not self._is_unknown(token):
            raise self._no_value(say("a whole number"))
        self.take()
        self._no_operator(token)
        return sign * int(token.text) if is_number else 0

    def one_of(self, *words: str) -> str:
        """One of these keywords, in capitals."""
        for word in words:
            if self.accept(word):
                return word
        if self._is_unknown(self.ahead):
            self.take()
            return words[0]
        raise self._no_value(" | ".join(words))

    def _look_for_unknown(self, token: SqlToken) -> None:
        """Note placeholders in a name or value that must be literal."""
        raw = token.raw
        if raw[0] == "@" and token.kind == WORD:
            self.unknown.append(raw)
        else:
            self.unknown += open_places(raw)

    def _is_unknown(self, token: SqlToken) -> bool:
        """True if the token stands for a value and is unknown; notes it."""
        if token.kind != TEMPLATE and not (token.kind == WORD and (token.raw[0] == "@" or "$(" in token.raw)):
            return False
        known = len(self.unknown)
        self._look_for_unknown(token)
        return len(self.unknown) > known

    def _no_value(self, wanted: Sentence | str) -> NotApplied:
        token = self.ahead
        is_call = token.kind == WORD and token.text.upper() not in ("ON", "OFF") and self._is_call(token)
        is_query = token.kind == SYMBOL and token.text == "("
        return self._not_literal(token.raw) if is_call or is_query else self.unexpected(wanted)

    def _not_literal(self, raw: str) -> NotApplied:
        self.unknown.append(raw)
        return self.with_unknown()

    def with_unknown(self) -> NotApplied:
        """The error for a statement with unknown values; names all of them."""
        return NotApplied(VALUE_NOT_LITERAL, unknown_values(self.unknown))

    def _is_call(self, token: SqlToken) -> bool:
        return self._text.startswith("(", token.end)

    def _no_operator(self, before: SqlToken) -> None:
        if self.ahead.kind == SYMBOL and self.ahead.text in "+-*/%":
            raise self._not_literal(f"{before.raw[:SHOWN]} {self.ahead.text}")

    def equals(self, convert: Convert) -> Any:
        """`= value`."""
        self.expect_symbol("=")
        return convert(self)

    def clauses(self, known: Mapping[str, Convert]) -> dict[str, Any]:
        """Clauses that each begin with their keyword, in any order, with or without commas between them."""
        found: dict[str, Any] = {}
        comma = False
        while self.ahead.kind == WORD and (convert := known.get(keyword := self.ahead.text.upper())):
            if keyword in found:
                raise not_understood(say("{keyword} stands twice", keyword=keyword))
            self.take()
            found[keyword] = convert(self)
            comma = self.accept_symbol(",")
        if comma:
            raise self.unexpected(" | ".join(known))
        return found

    def in_parentheses(self, convert: Convert) -> Any:
        self.expect_symbol("(")
        value = convert(self)
        self.expect_symbol(")")
        return value

    def skip_parentheses(self) -> None:
        """Skip `( … )` with any content."""
        self.expect_symbol("(")
        depth = 1
        while depth:
            token = self.ahead
            if token.kind == END or (token.kind == WORD and self._begins_another(token)):
                raise self.unexpected(")")
            self.take()
            depth += (token.text == "(") - (token.text == ")") if token.kind == SYMBOL else 0

    def _begins_another(self, token: SqlToken) -> bool:
        """True if a statement begins there, because a parenthesis was left open. ADD, ALTER, DROP WEBMETHOD are
        options."""
        return token.text.lower() in _VERBS and self.second.text.upper() != "WEBMETHOD"

    def end(self) -> None:
        """Require the end of the statement: a semicolon, the end of the batch, or the beginning of the next
        statement."""
        if self.accept_symbol(";") or self.ends:
            return
        if self.is_open:
            raise self._not_literal(self.ahead.raw)
        raise not_understood(say("{got} is not expected here", got=shown(self.ahead.raw)))

    @property
    def ends(self) -> bool:
        """True if the next token does not belong to this statement."""
        token = self.ahead
        if token.kind == END or (token.text == ";" and token.kind == SYMBOL):
            return True
        return token.kind == WORD and (token.text.lower() in FOLLOWERS or self._is_label(token))

    def _is_label(self, token: SqlToken) -> bool:
        return self._text.startswith(":", token.end) and not self._text.startswith("::", token.end)


def _tokens(text: str, origin: SqlToken) -> list[SqlToken]:
    """The tokens of a variable's value, positioned at the token that named it."""
    found, position = [], 0
    while (token := next_token(text, position)).kind != END:
        found.append(token._replace(start=origin.start, end=origin.end))
        position = token.end
    return found
