"""Reads the text that EXEC runs: `EXEC (a + b)`, `EXEC sp_executesql a`, where it is known before the script runs."""

from __future__ import annotations

from dataclasses import dataclass

from routing.tsql.call_parameters import Parameters, parameters_of
from routing.tsql.constant_reader import ConstantReader
from routing.tsql.constants import Constant, NotConstant, TextConstant, flat
from routing.tsql.lexer import QUOTED, STRING, WORD, Unclosed, next_token
from routing.tsql.procedure_bodies import called_at, name_from
from routing.tsql.variables import ReaderAt

RUNS_SQL = "sp_executesql"
_STATEMENT = frozenset(("@stmt", "@statement"))
"""Names of the first parameter of sp_executesql."""
_NOTHING = Parameters()


@dataclass(frozen=True, slots=True)
class ExecutedText:
    """The text that one EXEC runs."""

    value: Constant
    end: int
    """The end of the last token that was read."""
    database: str | None = None
    """The database that stands before sp_executesql; None: the one in use."""
    needs_unicode: bool = False
    """True for sp_executesql, which takes a Unicode text only."""
    parameters: Parameters = _NOTHING
    """The variables that sp_executesql declares for the text."""


def executed_text(text: str, position: int, reader_at: ReaderAt) -> ExecutedText | None:
    """The text that runs, from after EXEC, or from the beginning of a batch; None if it is not known or runs elsewhere.

    Raises `TooLarge` and `Unclosed`.
    """
    try:
        reader = reader_at(position)
        if reader.ahead.text == "(" and reader.ahead.kind not in (STRING, QUOTED):
            return _in_parentheses(reader)
        found = procedure_at(text, position, reader_at)
        return _of_procedure(found, reader_at) if found is not None else None
    except NotConstant:
        return None


def _in_parentheses(reader: ConstantReader) -> ExecutedText | None:
    reader.expect("(")
    value = reader.value()
    reader.expect(")")
    end = reader.end
    if reader.accept_word("AT"):
        return None  # on a linked server
    return ExecutedText(value, end)


@dataclass(frozen=True, slots=True)
class ExecuteSql:
    """A call of sp_executesql."""

    end: int
    """The end of its name."""
    database: str | None
    """The database that stands before it."""


def procedure_at(text: str, position: int, reader_at: ReaderAt) -> ExecuteSql | None:
    """The call of sp_executesql that begins there, after EXEC; None for any other procedure, and on a linked server.

    The name may be the value of a variable: `EXEC @procedure …`.
    """
    first = called_at(text, position)
    if first.kind not in (WORD, QUOTED):
        return None
    if first.text[0:1] == "@" and first.kind == WORD:
        parts, end = _named_by(reader_at(first.start)), first.end
    else:
        parts, last = name_from(text, first)
        end = last.end
        if last.kind not in (WORD, QUOTED):
            return None
    if parts[-1].lower() != RUNS_SQL or len(parts) > 3:
        return None
    return ExecuteSql(end, (parts[-3] if len(parts) == 3 else "") or None)


def _named_by(reader: ConstantReader) -> list[str]:
    """The parts of the name that a variable holds. Raises `NotConstant`."""
    value = reader.operand()
    if not isinstance(value, TextConstant):
        raise NotConstant
    name = flat(value, reader.budget).text
    try:
        return name_from(name, next_token(name, 0))[0]
    except Unclosed:
        raise NotConstant from None


def _of_procedure(procedure: ExecuteSql, reader_at: ReaderAt) -> ExecutedText | None:
    reader = reader_at(procedure.end)
    if reader.ahead.text[:1] == "@" and reader_at(reader.ahead.end).ahead.text == "=":
        if reader.take().text.lower() not in _STATEMENT:
            return None
        reader.expect("=")
    value = reader.operand()
    if not reader.ends and reader.ahead.text != ",":
        return None
    end, parameters = reader.end, _NOTHING
    if reader.accept(","):
        parameters = parameters_of(reader)
        end = max(end, parameters.end)
    return ExecutedText(value, end, procedure.database, needs_unicode=True, parameters=parameters)
