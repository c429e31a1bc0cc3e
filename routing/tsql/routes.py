"""CREATE ROUTE and ALTER ROUTE with SQL Server's checks: which routes it refuses, and with which error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.sentence import say
from routing.model.address import Address, parse_address
from routing.model.route import Route
from routing.tsql.refusal import not_understood, refused

COLUMNS = {
    "SERVICE_NAME": "remote_service_name",
    "BROKER_INSTANCE": "broker_instance",
    "LIFETIME": "lifetime",
    "ADDRESS": "address",
    "MIRROR_ADDRESS": "mirror_address",
}
"""The columns of sys.routes, by the clause that sets them."""
LENGTHS = {"SERVICE_NAME": 256, "BROKER_INSTANCE": 128, "ADDRESS": 256, "MIRROR_ADDRESS": 256}
"""Characters of the columns of sys.routes: nvarchar(256) and nvarchar(128)."""
_PLACEHOLDER = re.compile(r"\[[^\]:]*\]|\{[^}]*\}|<[^>]*>|%\w+%|@@+\w*@*")
"""Placeholders that users write in place of a host."""
MAX_LIFETIME_S = 2_147_483_647
"""LIFETIME is an int, in seconds."""


def route_of(name: str, clauses: Mapping[str, Any], before: Route | None, at: datetime) -> Route:
    """The route that CREATE makes of the clauses, or ALTER of the route `before`. Raises `NotApplied`."""
    _check_texts(name, clauses)
    values = _values(before)
    if "SERVICE_NAME" in clauses:
        values["remote_service_name"] = clauses["SERVICE_NAME"]
    if "BROKER_INSTANCE" in clauses:
        _check_named(name, values)
        values["broker_instance"] = _identifier(clauses["BROKER_INSTANCE"])
    for clause in ("ADDRESS", "MIRROR_ADDRESS"):
        if clause in clauses:
            values[COLUMNS[clause]] = _address(name, clause, clauses[clause])
    if "LIFETIME" in clauses:
        values["lifetime"] = _lifetime(name, clauses["LIFETIME"], at)
    if values["address"] is None:
        raise not_understood(say("ADDRESS is missing"))
    _check_together(name, values)
    return Route(before.name if before else name, **values)


def _values(before: Route | None) -> dict[str, Any]:
    return {column: getattr(before, column) if before else None for column in COLUMNS.values()}


def _check_texts(name: str, clauses: Mapping[str, Any]) -> None:
    for clause, limit in LENGTHS.items():
        value = clauses.get(clause)
        if value == "":
            raise refused(9659, say('the {clause} of route "{name}" is empty', clause=clause, name=name))
        if value is not None and len(value) > limit:
            problem = say(
                'the {clause} of route "{name}" is longer than {limit} characters',
                clause=clause,
                name=name,
                limit=limit,
            )
            raise refused(9660, problem)


def _identifier(text: str) -> str:
    try:
        return parse_identifier(text)
    except Invalid as fault:
        raise refused(None, say("BROKER_INSTANCE {problem}", problem=fault.problem)) from None


def _address(name: str, clause: str, text: str) -> Address:
    try:
        return parse_address(text)
    except Invalid:
        problem = say(
            'the {clause} of route "{name}" is no address: "{address}"', clause=clause, name=name, address=text
        )
        if place := _PLACEHOLDER.search(text):
            problem = say("{problem}; {place} looks like a placeholder", problem=problem, place=place[0])
        raise refused(9744, problem) from None


def _lifetime(name: str, seconds: int, at: datetime) -> datetime:
    if not 1 <= seconds <= MAX_LIFETIME_S:
        problem = say('the LIFETIME of route "{name}" is not 1 to {limit} seconds', name=name, limit=MAX_LIFETIME_S)
        raise refused(9746, problem)
    try:
        return at + timedelta(seconds=seconds)
    except OverflowError:
        raise refused(None, say("the LIFETIME ends after the year 9999")) from None


def _check_named(name: str, values: Mapping[str, Any]) -> None:
    if values["remote_service_name"] is None:
        raise refused(9662, say('route "{name}" has BROKER_INSTANCE without SERVICE_NAME', name=name))


def _check_together(name: str, values: Mapping[str, Any]) -> None:
    """Check combinations of clauses, after merging them with the route before."""
    service, identifier = values["remote_service_name"], values["broker_instance"]
    address, mirror = values["address"], values["mirror_address"]
    if identifier is not None:
        _check_named(name, values)
    if mirror is not None:
        if service is None or identifier is None:
            problem = say('route "{name}" has MIRROR_ADDRESS without SERVICE_NAME and BROKER_INSTANCE', name=name)
            raise refused(9661, problem)
        for clause, value in (("ADDRESS", address), ("MIRROR_ADDRESS", mirror)):
            if not value.is_network:
                problem = say('the {clause} of route "{name}" is no address to mirror', clause=clause, name=name)
                raise refused(9743, problem)
        if address.key == mirror.key:
            raise refused(9747, say('ADDRESS and MIRROR_ADDRESS of route "{name}" are the same', name=name))
    if address.is_transport and service is not None:
        raise refused(9745, say('the ADDRESS of route "{name}" is TRANSPORT, and it has a SERVICE_NAME', name=name))
