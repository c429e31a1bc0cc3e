"""Values of the command line: each function returns the value that a text stands for, or says why there is none."""

from __future__ import annotations

import argparse
import codecs
from collections.abc import Callable
from datetime import datetime
from typing import Final

from pipeline.files.location import RemoteLocation, location
from pipeline.runtime.intervals import spark_interval
from routing.common.errors import Invalid
from routing.common.moment import typed_moment

_WEB = ("http", "https")
"""Schemes of servers that list no folders."""


def place_name(text: str) -> str:
    """Return the path or the URL that a user names; not of the web, where Hadoop takes every name to exist."""
    if not text.strip():
        raise argparse.ArgumentTypeError("must name a path or a URL, not an empty text")
    place = location(text)
    if not isinstance(place, RemoteLocation):
        return text
    scheme, _, authority = place.store.partition("://")
    if scheme in _WEB:
        raise argparse.ArgumentTypeError(f"must be a path or the URL of a store with folders, not {text}")
    if scheme == "file" and authority not in ("", "localhost"):
        raise argparse.ArgumentTypeError(f"must be of this machine, as file:///data, not {text}")
    return str(place).replace("//localhost/", "///", 1) if scheme == "file" else str(place)


def whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    """Return the function that reads a whole number within these bounds."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a whole number, not {text[:SHOWN]}") from None
        if number < lowest:
            raise argparse.ArgumentTypeError(f"must be {lowest:,} or more, not {text[:SHOWN]}")
        if number > highest:
            raise argparse.ArgumentTypeError(f"must be {highest:,} or less, not {text[:SHOWN]}")
        return number

    return read


SHOWN: Final = 40
"""Characters of a text that an error shows."""
MOST: Final = 10**12
"""No count of rows, files or versions is larger."""
positive = whole_number(1, MOST)
not_negative = whole_number(0, MOST)
days = whole_number(1, 36_500)
classes = whole_number(1, 1_000_000)
seed = whole_number(-(2**63), 2**63 - 1)


def interval(text: str) -> str:
    """Return a time between two looks as Spark takes it."""
    try:
        return spark_interval(text)
    except ValueError as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None


def encoding(text: str) -> str:
    """Return Python's name of an encoding of texts, empty for UTF-8."""
    try:
        name = codecs.lookup(text).name
        "".encode(name)
    except LookupError:
        raise argparse.ArgumentTypeError(f"{text} is no encoding; cp1252, cp1251 or latin-1 are") from None
    return "" if name in ("utf-8", "utf-8-sig") else name


def moment(text: str) -> datetime:
    """Return a moment that is written as ISO 8601."""
    try:
        return typed_moment(text)
    except Invalid as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None


def setting(text: str) -> tuple[str, str]:
    """Return the name and the value of a setting of Spark."""
    key, equals, value = text.partition("=")
    if not equals or not key.startswith("spark."):
        raise argparse.ArgumentTypeError(f"must be spark.KEY=VALUE, not {text}")
    return key, value
