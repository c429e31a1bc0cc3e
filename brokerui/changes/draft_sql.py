"""A draft as T-SQL, one script for each instance: written from its edits, and read back into edits.

A script is what changes the base of the draft into the draft, on one instance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from django.db import transaction

from brokerui.changes.edit_sql import SAME_INSTANCE, instance_of
from brokerui.changes.errors import SqlRefusedError
from brokerui.changes.kept_script import carried_on
from brokerui.changes.models import DraftScript, SavedDraft
from brokerui.changes.selectors import draft_base, draft_edits, draft_estate, draft_get
from brokerui.changes.services import edits_replace
from routing.common.errors import InputError, Invalid
from routing.common.finding import ERROR, INFO, Finding
from routing.common.names import spelt_as_known
from routing.common.sentence import say
from routing.model.edits_between import edits_between
from routing.model.estate import Edit, Estate, Instance
from routing.tsql.export import HEADING, export_sql
from routing.tsql.reading import ScriptGroup, read_scripts
from routing.tsql.refusal import ALREADY_EXISTS, NO_STATEMENT, NOT_FOUND

FILE: Final = "T-SQL of the draft"
_FAR: Final = datetime.max.replace(tzinfo=UTC)
"""LIFETIME counts from the moment at which a script is read. None reaches as far as this: the end of a route is written
as a moment, which stays the same however late the script is read again."""
_LATE: Final = datetime(9000, 1, 1, tzinfo=UTC)
"""Kept scripts are tried as if they were read then: an end of a route that is counted from now is not taken for it."""
_WITHOUT_EFFECT: Final = (ALREADY_EXISTS, NOT_FOUND)


@dataclass(frozen=True, slots=True)
class SqlRead:
    """The edits that a script results in."""

    edits: tuple[Edit, ...] | None
    """All edits that the draft then has; None: it stays as it is."""
    further: tuple[Edit, ...]
    """Edits that the script would add to those that the draft has."""
    unsupported: tuple[Finding, ...]
    """A finding for each statement that was left out, or that was read with a doubt."""


@dataclass(frozen=True, slots=True)
class SqlWritten:
    """A draft whose edits were read from a script."""

    draft: SavedDraft
    unsupported: tuple[Finding, ...]


def draft_sql(draft: SavedDraft) -> dict[str, str]:
    """Return the script of each instance that the draft changes, in the order in which its edits name them."""
    scripts = {name: script_of(draft, name) for name in drafted_instances(draft)}
    return {name: text for name, text in scripts.items() if text}


def script_of(draft: SavedDraft, instance: str) -> str:
    """Return the script of one instance: as a user saved it, with the changes since then; else as it is written out."""
    before, after = draft_base(draft).estate, draft_estate(draft).estate
    kept = draft.scripts.filter(instance=instance).first()
    text = _carried_on(kept, before, after) if kept is not None else None
    return script_between(before, after, instance) if text is None else text


def _carried_on(kept: DraftScript, before: Estate, after: Estate) -> str | None:
    """Return the kept script with the changes since then. Its edits are the same whenever it is read again."""

    def read(text: str) -> Estate | None:
        try:
            made, _unsupported = _run(before, kept.instance, text, _LATE)
        except (SqlRefusedError, InputError, Invalid):
            return None
        return _with_instance(before, before, kept.instance, made)

    return carried_on(kept.text, read, lambda made: script_between(made, after, kept.instance))


def drafted_instances(draft: SavedDraft) -> tuple[str, ...]:
    """Return the instances that the edits of a draft name, in their order."""
    names = (instance_of(edit) for edit in draft_edits(draft))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def script_between(before: Estate, after: Estate, instance: str) -> str:
    """Return the script for one instance; the hop limit, which is of the whole estate, is no part of it."""
    after = replace(after, hop_limit=before.hop_limit)
    lines = export_sql(after, since=before, instance=instance, at=_FAR).splitlines()
    left_out = (HEADING, SAME_INSTANCE) if instance in before.instances else (HEADING,)
    return "\n".join(line for line in lines if line not in left_out).strip()


@transaction.atomic
def sql_replace(*, number: int, revision: int, instance: str, sql: str, at: datetime, author: str) -> SqlWritten:
    """Let the edits of a draft be what a script says for one instance, as one step. LIFETIME counts from `at`.

    Raises `SqlRefusedError`, `InputError` or `Invalid` for a script that cannot be taken; then nothing is written.
    """
    draft = draft_get(number)
    instance = _known(draft, instance)
    read = sql_read(draft, instance, sql, at)
    edits = draft_edits(draft) if read.edits is None else read.edits
    # A draft that was written since `draft_get` has another revision now, which is refused there.
    written = edits_replace(number=number, revision=revision, edits=edits, author=author)
    _keep(written, instance, sql)
    return SqlWritten(written, read.unsupported)


def _keep(draft: SavedDraft, instance: str, sql: str) -> None:
    """Keep the script as it was typed; an empty one is forgotten."""
    if sql.strip():
        draft.scripts.update_or_create(instance=instance, defaults={"text": sql})
    else:
        draft.scripts.filter(instance=instance).delete()


def sql_read(draft: SavedDraft, instance: str, sql: str, at: datetime) -> SqlRead:
    """Return the edits to which a script for one instance leads from the base; other instances stay as drafted."""
    base, drafted, instance = draft_base(draft).estate, draft_estate(draft).estate, _known(draft, instance)
    made, unsupported = _run(base, instance, sql, at)
    wanted = _with_instance(base, drafted, instance, made)
    further = edits_between(drafted, wanted)
    return SqlRead(edits_between(base, wanted) if further else None, further, unsupported)


def _known(draft: SavedDraft, instance: str) -> str:
    """Return the name as the draft or its base spells it."""
    return spelt_as_known(instance, {**draft_estate(draft).estate.instances, **draft_base(draft).estate.instances})


def _run(base: Estate, name: str, sql: str, at: datetime) -> tuple[Instance | None, tuple[Finding, ...]]:
    """Return the instance of the base after the script; None where there is none then."""
    instances = {name: base.instances[name]} if name in base.instances else {}
    estate, found = read_scripts(
        [ScriptGroup(name, None, [(FILE, sql)])], into=Estate(instances, base.hop_limit), at=at
    )
    findings = [finding for finding in found if finding.code != NO_STATEMENT]
    if refused := tuple(finding for finding in findings if _is_refused(finding)):
        raise SqlRefusedError(refused)
    if estate.hop_limit != base.hop_limit:
        raise Invalid("sql", say("the hop limit belongs to the whole estate, not to one instance"))
    if other := next((one for one in estate.instances if one != name), None):
        raise Invalid("sql", say("the script is for {name}, but it changes {other} as well", name=name, other=other))
    return _without_remembered(estate.instances.get(name)), tuple(replace(one, file=None) for one in findings)


def _is_refused(finding: Finding) -> bool:
    """Return whether the statement would fail on the server, or cannot be read."""
    return finding.severity == ERROR or (finding.code in _WITHOUT_EFFECT and finding.severity != INFO)


def _without_remembered(instance: Instance | None) -> Instance | None:
    """Leave out the statements of this script that an import would remember: the answer lists them."""
    if instance is None:
        return None
    missing = tuple(one for one in instance.missing_statements if one.file != FILE)
    return instance if missing == instance.missing_statements else replace(instance, missing_statements=missing)


def _with_instance(base: Estate, drafted: Estate, name: str, made: Instance | None) -> Estate:
    """Return the draft with another value of one instance, at its place; None takes it out."""
    others = [one for one in drafted.instances.values() if one.name != name]
    if made is None:
        return replace(drafted, instances={one.name: one for one in others})
    place = _place(list(base.instances), list(drafted.instances), name)
    ordered = [*others[:place], made, *others[place:]]
    return replace(drafted, instances={one.name: one for one in ordered})


def _place(base: Sequence[str], drafted: Sequence[str], name: str) -> int:
    """Return where an instance stands: as in the draft, else before those that follow it in the base, else last."""
    if name in drafted:
        return drafted.index(name)
    following = set(base[base.index(name) + 1 :]) if name in base else set()
    return next((place for place, other in enumerate(drafted) if other in following), len(drafted))
