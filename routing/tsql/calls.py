"""Reads the text that EXEC runs: `EXEC (a + b)`, `EXEC sp_executesql a`, where it is known before the script runs."""

from __future__ import annotations

from dataclasses import dataclass

from routing.tsql.constant_reader import ConstantReader
from routing.tsql.constants import Constant, NotConstant
from routing.tsql.lexer import QUOTED, STRING, WORD
from routing.tsql.procedure_bodies import called_at, name_from
from routing.tsql.variables import ReaderAt

RUNS_SQL = "sp_executesql"


@dataclass(frozen=True, slots=True)
class ExecutedText:
    """What one EXEC runs."""

    value: Constant
    end: int
    """The end of the last token that was read."""
    database: str | None = None
    """The database that stands before sp_executesql; None: the one in use."""
    needs_unicode: bool = False
    """True for sp_executesql, which takes a Unicode text only."""


def executed_text(text: str, position: int, reader_at: ReaderAt) -> ExecutedText | None:
    """The text that runs, from after EXEC, or from the beginning of a batch; None if it is not known or runs elsewhere.

    Raises `TooLarge` and `Unclosed`.
    """
    try:
        reader = reader_at(position)
        if reader.ahead.text == "(" and reader.ahead.kind not in (STRING, QUOTED):
            return _in_parentheses(reader)
        return _of_procedure(text, position, reader_at)
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


def _of_procedure(text: str, position: int, reader_at: ReaderAt) -> ExecutedText | None:
    first = called_at(text, position)
    if first.kind not in (WORD, QUOTED):
        return None
    parts, last = name_from(text, first)
    if parts[-1].lower() != RUNS_SQL or len(parts) > 3 or last.kind not in (WORD, QUOTED):
        return None
    reader = reader_at(last.end)
    if reader.ahead.text[:1] == "@" and reader_at(reader.ahead.end).ahead.text == "=":
        reader.take()
        reader.expect("=")
    value = reader.operand()
    if not reader.ends and reader.ahead.text != ",":
        return None
    database = parts[-3] if len(parts) == 3 else ""
    return ExecutedText(value, reader.end, database or None, needs_unicode=True)
