"""Edits as T-SQL for the instances that they change, with directives of BrokerUI where no statement does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from routing.model.edits import DropInstance, PutInstance, SetHopLimit
from routing.model.estate import Edit, Estate
from routing.remedies.applying import with_msdb
from routing.tsql.export import HEADING, export_sql

DIRECTIVE = "-- brokerui:"
SAME_INSTANCE = f'{DIRECTIVE} {{"instance": {{}}}}'
"""The directive that only says on which instance the script runs."""


@dataclass(frozen=True, slots=True)
class InstanceSql:
    """T-SQL for one instance."""

    instance: str
    sql: str
    """Empty where nothing differs."""

    @property
    def has_directives(self) -> bool:
        """Whether some of it is no T-SQL: the estate can hold it, and no statement makes it."""
        return DIRECTIVE in self.sql


def edits_as_sql(before: Estate, edits: Sequence[Edit], at: datetime) -> tuple[InstanceSql, ...]:
    """Return what the edits come to, by instance, in the order in which they name the instances."""
    names = tuple(dict.fromkeys(name for edit in edits if (name := instance_of(edit)) is not None))
    for name in names:
        before = with_msdb(before, name)
    after = before.edited(edits)
    return tuple(InstanceSql(name, instance_script(before, after, name, at)) for name in names)


def instance_of(edit: Edit) -> str | None:
    """Return the instance that an edit changes; None: it is about the estate as a whole."""
    match edit:
        case SetHopLimit():
            return None
        case PutInstance():
            return edit.instance.name
        case DropInstance():
            return edit.name
    name: str = edit.instance  # type: ignore[attr-defined]  # all other kinds have it
    return name


def instance_script(before: Estate, after: Estate, instance: str, at: datetime) -> str:
    """Return the statements that make one instance what it is afterwards; empty where nothing of it differs."""
    text = export_sql(after, since=before, instance=instance, at=at)
    lines = [line for line in text.splitlines() if line not in (HEADING, SAME_INSTANCE)]
    return "\n".join(lines).strip()
