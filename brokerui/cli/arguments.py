"""Arguments that several commands take, each parsed to a value or refused as bad usage."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict, TypeVar

from brokerui.analysis.imports.variables import VARIABLE_NAME, variable_from
from brokerui.cli.inputs import STANDARD_INPUT
from brokerui.cli.outputs import STANDARD_OUTPUT
from brokerui.core.languages import here, local
from routing.common.errors import InputError, Invalid
from routing.common.identifier import parse_identifier
from routing.common.moment import typed_moment
from routing.common.sentence import Sentence, say
from routing.documents.estate_document import MAX_DOCUMENT_BYTES
from routing.tsql.encodings import check_encoding

_T = TypeVar("_T")
_SUFFIXES = frozenset((".sql", ".txt", ".csv", ".tsv", ".json"))
"""Endings of names of files that are imported."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Described(TypedDict):
    """Arguments of argparse for a command."""

    help: str
    description: str


def described(summary: Sentence) -> Described:
    """Return the summary of a command, for the list of commands and the beginning of its own help."""
    text = local(summary)
    return {"help": text, "description": local(say("{summary}.", summary=text[:1].upper() + text[1:]))}


def add_estate(parser: argparse.ArgumentParser, name: str = "estate") -> None:
    parser.add_argument(name, metavar=name.upper(), help=local(say("estate document, - for standard input")))


def add_at(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("the time for which to answer, ISO 8601 (default: now)"))
    parser.add_argument("--at", metavar="T", type=moment, help=help_text)


def add_variables(parser: argparse.ArgumentParser) -> None:
    text = local(say("a sqlcmd variable of the scripts; several may follow, as with sqlcmd"))
    parser.add_argument(
        "-v", metavar="NAME=VALUE", dest="variables", action="append", default=[], type=variable, help=text
    )


def one_variable_each(words: Sequence[str]) -> list[str]:
    """The words of a command line with a `-v` before each variable: sqlcmd takes several after one.

    A word is taken for a variable until one follows that names files: `NAME=FILE`.
    """
    found: list[str] = []
    place = 0
    """1: a variable must follow; 2: one may follow."""
    for index, word in enumerate(words):
        if word == "--":
            return [*found, *words[index:]]
        is_further = place == 2 and not word.startswith("-") and _is_variable(word)
        found += ["-v", word] if is_further else [word]
        place = 1 if word == "-v" else 2 if place == 1 or is_further else 0
    return found


def _is_variable(word: str) -> bool:
    name, equals, value = word.partition("=")
    files = [file for file in value.split(",") if file]
    is_file = any(file == STANDARD_INPUT or Path(file).suffix.lower() in _SUFFIXES or _is_file(file) for file in files)
    return bool(equals) and VARIABLE_NAME.fullmatch(name) is not None and not is_file


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def add_encoding(parser: argparse.ArgumentParser) -> None:
    text = local(
        say("the encoding of the files, such as cp1251 (default: detected; refused where that is not certain)")
    )
    parser.add_argument("--encoding", metavar="NAME", type=_encoding, help=text)


def _encoding(text: str) -> str:
    try:
        check_encoding(text)
    except Invalid as fault:
        raise misuse(say("{name} {problem}", name=repr(text[:40]), problem=fault.problem)) from None
    return text


def add_max_size(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("the largest document (default: 64M)"))
    parser.add_argument("--max-size", metavar="SIZE", type=size, default=MAX_DOCUMENT_BYTES, help=help_text)


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help=local(say("default: text")))


def add_output(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("default: standard output"))
    parser.add_argument("-o", "--output", metavar="ESTATE", default=STANDARD_OUTPUT, help=help_text)


def one_from_standard_input(*names: str | None) -> None:
    """Standard input can be one of the inputs; anything else is bad usage."""
    if names.count(STANDARD_INPUT) > 1:
        error = InputError(STANDARD_INPUT, "", say("only one input can be standard input"))
        sys.stderr.write(f"error: {error.render(here())}\n")
        raise SystemExit(2)


def now_unless(at: datetime | None) -> datetime:
    """The one place where a pure command looks at the clock."""
    return at or datetime.now(UTC)


def misuse(problem: Sentence | Invalid) -> argparse.ArgumentTypeError:
    """Make the error that argparse reports for an invalid argument."""
    return argparse.ArgumentTypeError(problem.render(here()))


def must_be_given(what: Sentence | str, given: str) -> argparse.ArgumentTypeError:
    """Return the error for an argument of another kind than `what`."""
    return misuse(say("must be {what}, not {got}", what=what, got=repr(given)))


def _valid(parse: Callable[[str], _T]) -> Callable[[str], _T]:
    def parsed(text: str) -> _T:
        try:
            return parse(text)
        except Invalid as fault:
            raise misuse(fault) from None

    return parsed


variable = _valid(variable_from)
moment = _valid(typed_moment)
identifier = _valid(parse_identifier)


def size(text: str) -> int:
    """Bytes, from digits with an optional unit: 200M."""
    match = re.fullmatch(r"(\d{1,12})([KMG]?)B?", text.upper())
    if not match:
        raise must_be_given(say("a number of bytes such as 200M"), text)
    return int(match[1]) * _UNITS[match[2]]
