"""Remembers the statements of the scripts that could not be applied, such as those known only when the scripts run."""

from __future__ import annotations

from collections.abc import Iterable

from routing.common.errors import Invalid
from routing.common.finding import INFO, Finding
from routing.model.missing_statement import MAX_MISSING_STATEMENTS, MAX_TEXT_CHARS, MissingStatement
from routing.tsql.draft import KINDS, DraftInstance, EstateDraft
from routing.tsql.refusal import DYNAMIC_SQL, NOT_EXECUTED, NOT_FOUND, NOT_UNDERSTOOD, VALUE_NOT_LITERAL
from routing.tsql.statement import ALTER, CREATE

_CODES = frozenset((DYNAMIC_SQL, NOT_EXECUTED, NOT_UNDERSTOOD, VALUE_NOT_LITERAL))


def remember_missing(draft: EstateDraft, group: str, findings: Iterable[Finding]) -> None:
    """Record the statements of findings at their instances, or at that of the group of scripts."""
    for finding in findings:
        if finding.severity == INFO or not (finding.code in _CODES or _alters_unknown(finding)):
            continue
        instance = draft.instances.find(_home(finding) or group)
        if instance is not None and len(instance.missing) < MAX_MISSING_STATEMENTS:
            missing = _of(finding)
            if missing not in instance.missing[-1:]:
                instance.missing.append(missing)


def _alters_unknown(finding: Finding) -> bool:
    """True for ALTER of an object that no script makes: the server has it, and the estate does not."""
    title, is_refused = finding.reason.values.get("title"), "changes nothing" in finding.reason.text
    return finding.code == NOT_FOUND and is_refused and str(title).startswith(ALTER)


def _home(finding: Finding) -> str | None:
    """The instance whose statement it is; None: that of the group. A string for a linked server is of that one."""
    server = finding.reason.values.get("server")
    return server if isinstance(server, str) else finding.instance


def forget_made(draft: EstateDraft) -> None:
    """Forget statements whose object is there after all, made by another script."""
    for instance in draft.instances:
        if instance.missing:
            instance.missing = [one for one in instance.missing if not _is_there(instance, one)]


def _of(finding: Finding) -> MissingStatement:
    title = finding.reason.values.get("title")
    values = {
        "statement": title if isinstance(title, str) else None,
        "database": finding.database,
        "object": finding.object,
        "file": (finding.file or "")[-MAX_TEXT_CHARS:] or None,
    }
    return MissingStatement(**{key: value for key, value in values.items() if _fits(value)}, line=finding.line)


def _fits(value: str | None) -> bool:
    try:
        MissingStatement(object=value)
    except Invalid:
        return False
    return True


def _is_there(instance: DraftInstance, missing: MissingStatement) -> bool:
    verb, _, kind = (missing.statement or "").partition(" ")
    database = instance.databases.find(missing.database or "")
    if verb != CREATE or kind not in KINDS or database is None or missing.object is None:
        return False
    return database.catalog(KINDS[kind]).find(missing.object) is not None
