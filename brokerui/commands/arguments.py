"""Arguments that several commands take, each parsed to a value or refused as bad usage."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from brokerui.inputs import STANDARD_INPUT
from routing.document import MAX_SIZE
from routing.errors import Invalid
from routing.identifier import parse_identifier
from routing.moment import parse_moment

_T = TypeVar("_T")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_at(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--at", metavar="T", type=moment, help="the moment of the question, ISO 8601 (default: now)")


def add_max_size(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-size", metavar="SIZE", type=size, default=MAX_SIZE, help="the largest document (default: 64M)"
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def one_from_standard_input(*names: str | None) -> None:
    """Standard input can be one of the inputs; anything else is bad usage."""
    if names.count(STANDARD_INPUT) > 1:
        sys.stderr.write("error: -: only one input can be standard input\n")
        raise SystemExit(2)


def now_unless(at: datetime | None) -> datetime:
    """The one place where a pure command looks at the clock."""
    return at or datetime.now(UTC)


def _valid(parse: Callable[[str], _T]) -> Callable[[str], _T]:
    def parsed(text: str) -> _T:
        try:
            return parse(text)
        except Invalid as fault:
            raise argparse.ArgumentTypeError(str(fault)) from None

    return parsed


moment = _valid(parse_moment)
identifier = _valid(parse_identifier)


def size(text: str) -> int:
    """Bytes, from digits with an optional unit: 200M."""
    match = re.fullmatch(r"(\d{1,12})([KMG]?)B?", text.upper())
    if not match:
        raise argparse.ArgumentTypeError(f"must be a number of bytes such as 200M, not {text!r}")
    return int(match[1]) * _UNITS[match[2]]
