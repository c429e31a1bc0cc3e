"""Sqlcmd variables that an import is given, as `sqlcmd -v` is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from routing.common.errors import Invalid
from routing.common.sentence import say

MAX_VARIABLES = 100
MAX_VALUE_CHARS = 4_000
MAX_TEXT_CHARS = 64 << 10
"""Largest text of all variables, a line each."""
VARIABLE_NAME = re.compile(r"\w[\w-]{0,127}")


def variable_from(text: str) -> tuple[str, str]:
    """Name and value of one `NAME=VALUE`. Raises `Invalid`."""
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals:
        raise Invalid("", say("a variable is given as NAME=VALUE"))
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1].replace('""', '"')
    check_variable(name, value)
    return name, value


def check_variable(name: str, value: str) -> None:
    """Raise `Invalid` for a name that sqlcmd would not take, or a value that is too long."""
    if not VARIABLE_NAME.fullmatch(name):
        raise Invalid("", say("the name of a variable has letters, digits, _ and - only"))
    if len(value) > MAX_VALUE_CHARS:
        raise Invalid(
            "", say("the value of {name} is longer than {limit} characters", name=name, limit=MAX_VALUE_CHARS)
        )
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise Invalid("", say("the value of {name} holds a NUL or half a surrogate pair", name=name))


def check_count(count: int) -> None:
    """Raise `Invalid` for more variables than an import may have."""
    if count > MAX_VARIABLES:
        raise Invalid("", say("an import may have {limit} variables", limit=MAX_VARIABLES))


def variables_from(lines: Iterable[str]) -> dict[str, str]:
    """The variables of lines `NAME=VALUE`; blank lines are passed over. Raises `Invalid` with the line."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            name, value = variable_from(line)
        except Invalid as fault:
            raise Invalid("", say("line {line}: {problem}", line=number, problem=fault.problem)) from None
        found[name] = value
        check_count(len(found))
    return found
