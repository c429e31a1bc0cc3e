"""Arguments that name an instance and its files: `NAME[/DATABASE][@ADDRESS[,ADDRESS]]=FILE[,FILE]`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brokerui.analysis.imports.sources import addresses_from
from brokerui.cli.arguments import misuse, must_be_given
from routing.common.errors import Invalid
from routing.common.names import check_name
from routing.common.sentence import say
from routing.model.address import Address
from routing.model.estate import INSTANCE_NAME_CHARS

_ADDRESS = re.compile(r"@(?=tcp:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class InstanceFiles:
    """The files of one instance, or of one of its databases."""

    instance: str
    database: str | None
    addresses: tuple[Address, ...]
    """Where the instance listens; none: what its name and its endpoint say."""
    files: tuple[str, ...]


def instance_files(text: str) -> InstanceFiles:
    """`NAME[/DATABASE][@ADDRESS[,ADDRESS]]=FILE[,FILE]`; a database's name may hold slashes, an instance's may not."""
    target, equals, files = text.partition("=")
    target, *rest = _ADDRESS.split(target, maxsplit=1)
    instance, _, database = target.partition("/")
    names = tuple(name for name in files.split(",") if name)
    if not (equals and instance and names):
        raise must_be_given(say("NAME=FILE or NAME/DATABASE=FILE"), text)
    try:
        check_name(instance, "NAME", INSTANCE_NAME_CHARS)
        if database:
            check_name(database, "DATABASE")
        addresses = addresses_from(rest[0]) if rest else ()
        return InstanceFiles(instance, database or None, addresses, names)
    except Invalid as fault:
        raise misuse(fault) from None
