"""One file of an import: its kind, its instance, and how its content is loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from routing.model.address import Address, parse_network_address

_COMMA = re.compile(r"\s*,(?=\s*tcp:)\s*", re.IGNORECASE)
"""The comma between two addresses; any other one is a mistake in an address."""


class Kind(StrEnum):
    """The kind of a file."""

    SCRIPT = "script"
    """T-SQL."""
    CATALOG = "catalog"
    """A result of collect-sql, or a grid of one view."""
    DOCUMENT = "document"
    """An estate document."""


class Mode(StrEnum):
    """How the files change the existing estate."""

    INSTANCES = "instances"
    """The instances that the files are of are replaced by what the files say; the others stay."""
    INTO = "into"
    """Scripts are run on the live estate; a catalog or a document replaces what it tells."""
    WHOLE = "whole"
    """Nothing of it stays."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file; scripts and catalogs belong to an instance."""

    name: str
    kind: Kind
    load: Callable[[], bytes] = field(repr=False, compare=False)
    size: int = 0
    instance: str = ""
    database: str | None = None
    """The database of a grid, or the one in which the connection of a script begins."""
    address: Address | None = None
    """Where the instance listens; None: what its name and its endpoint say."""
    further: tuple[Address, ...] = ()
    """Further addresses of the instance, beside `address`."""
    encoding: str | None = None
    """As somebody named it; None: it is found out, or the file is refused."""


def addresses_from(text: str) -> tuple[Address, ...]:
    """The addresses of one instance, with commas between them, each once. Raises `Invalid`."""
    return tuple(dict.fromkeys(map(parse_network_address, _COMMA.split(text.strip())))) if text.strip() else ()
