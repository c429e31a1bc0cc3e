"""Runs a remedy on a copy of an estate: its T-SQL is read as a script of the instance on which it is to run."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from routing.common.errors import InputError, Invalid
from routing.common.names import MSDB
from routing.lint.remedy import bracketed, endpoint_change
from routing.model.estate import UNWRITTEN_MSDB, Estate, Instance
from routing.tsql.endpoints import DEFAULT_ENDPOINT
from routing.tsql.reading import ScriptGroup, read_scripts


def with_msdb(estate: Estate, instance: str) -> Estate:
    """The estate with the msdb of an instance written out: one that is not written is one without routes, and a script
    that uses it would make it with AutoCreatedLocal."""
    here = estate.instances.get(instance)
    if here is None or MSDB in here.databases:
        return estate
    return estate.with_instance(here.with_database(UNWRITTEN_MSDB))


def applied(estate: Estate, instance: str, sql: str, at: datetime) -> Estate | None:
    """The estate after a remedy on this instance; None if the engine cannot run all of its statements."""
    here = estate.instances.get(instance)
    if here is None:
        return None
    change = endpoint_change(sql)
    changed = _with_endpoint(estate, here, change, at) if change is not None else _run(estate, here, sql, at)
    try:
        return None if changed is None else estate.with_instance(changed)
    except Invalid:
        return None


def _run(estate: Estate, here: Instance, sql: str, at: datetime) -> Instance | None:
    """The instance alone is read into: that costs its own size, and no remedy is about another one."""
    alone = Estate({here.name: here}, estate.hop_limit)
    script = ScriptGroup(here.name, None, [("remedy.sql", sql)])
    try:
        changed, problems = read_scripts([script], into=alone, at=at)
    except InputError:
        return None
    return None if problems else changed.instances[here.name]


def _with_endpoint(estate: Estate, here: Instance, change: str, at: datetime) -> Instance | None:
    """The instance with a change of its endpoint, whose name no estate knows: read as one of the usual name."""
    if here.endpoint is not None:
        return _run(estate, here, f"ALTER ENDPOINT {bracketed(DEFAULT_ENDPOINT)} {change};", at)
    # The endpoint was not collected, but the change says what the instance will do.
    return replace(here, forwarding=True) if "MESSAGE_FORWARDING = ENABLED" in change else None
