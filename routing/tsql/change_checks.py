"""T-SQL that stops a script, or complains after it, where a server does not have what a change was made for.

Routes, services and the switch of the broker are checked; the script itself says what T-SQL cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from routing.common.names import MSDB
from routing.model.object_changes import ROUTES, ObjectChange, ObjectChanges, ObjectKey
from routing.model.route import Route
from routing.tsql.lexer import placeholder, sqlcmd_variable
from routing.tsql.sql import literal, quoted

START: Final = "SET NOEXEC OFF;\nGO"
END: Final = "SET NOEXEC OFF;\nGO"
"""Later scripts of the same window run again, also after a check that stopped this one."""
_SELECT: Final = "SELECT 1 FROM"
_CHECKED: Final = (ROUTES, "services", "broker_enabled")


def check_before(changes: ObjectChanges) -> str:
    """Return T-SQL that stops the script (SET NOEXEC ON) at the first object that is not as the change expects it."""
    lines = (_unless(_condition(key, change.before), key, "SET NOEXEC ON; ") for key, change in _checked(changes))
    return _script("Check before: nothing below runs where this server is not as the change expects it.", lines)


def check_after(changes: ObjectChanges) -> str:
    """Return T-SQL that raises an error for each object that is not as the change leaves it."""
    lines = (_unless(_condition(key, change.after), key, "") for key, change in _checked(changes))
    return _script("Check after: an error names each object that is not as the change leaves it.", lines)


def _checked(changes: ObjectChanges) -> Iterator[tuple[ObjectKey, ObjectChange]]:
    for key, change in changes.items():
        if key.kind in _CHECKED and not _is_odd(key):
            yield key, change


def _is_odd(key: ObjectKey) -> bool:
    """Return whether a program that runs the script would read the name in another way, or break its line."""
    text = "".join(key)
    return any(one in text for one in "\r\n\u2028\u2029\x85") or bool(sqlcmd_variable(text) or placeholder(text))


def _condition(key: ObjectKey, value: object) -> str:
    """Return the condition that the object is as `value`; None: that it does not exist."""
    place = quoted(key.database or MSDB)
    if key.kind == "broker_enabled":
        is_on = f"is_broker_enabled = {int(bool(value))}"
        return f"EXISTS ({_SELECT} sys.databases WHERE name = {literal(key.database)} AND {is_on})"
    named = f"{_SELECT} {place}.sys.{key.kind} WHERE name = {literal(key.name)}"
    if value is None:
        return f"NOT EXISTS ({named})"
    if isinstance(value, Route):
        return f"EXISTS ({named}{''.join(f' AND {one}' for one in _columns(value))})"
    return f"EXISTS ({named})"


def _columns(route: Route) -> Iterator[str]:
    values = {
        "remote_service_name": route.remote_service_name,
        "broker_instance": route.broker_instance,
        "address": route.address.text,
        "mirror_address": route.mirror_address.text if route.mirror_address else None,
    }
    for column, text in values.items():
        yield f"{column} IS NULL" if text is None else f"{column} = {literal(text)}"


def _unless(condition: str, key: ObjectKey, stop: str) -> str:
    what = f"{key.kind.rstrip('s')} {key.name}".strip() if key.name else "the broker"
    text = literal(f"{what} of {key.database} is not as expected.")
    return f"IF NOT ({condition})\nBEGIN RAISERROR(N'%s', 16, 1, {text}); {stop}END"


def _script(heading: str, lines: Iterable[str]) -> str:
    checks = "\n".join(lines)
    return f"-- {heading}\n{checks}\nGO" if checks else ""
