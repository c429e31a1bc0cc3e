"""Files of an import that say nothing about Service Broker: each is told of, and an instance needs one that does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from routing.common.errors import InputError
from routing.common.finding import WARNING, Finding
from routing.common.sentence import Sentence, listed, say
from routing.tsql.refusal import NO_STATEMENT, SEVERITY

SAYS_NOTHING = say("says nothing: it is empty, or all of it is a comment")
SETS_VARIABLES = say("only sets variables for the scripts that follow it")
_SETS = re.compile(r"^[ \t]*:setvar\b", re.IGNORECASE | re.MULTILINE)
_WHAT_TO_DO = say("give the script that makes routes, services and queues, or the result of `collect-sql`")
_LOOKED_AT = 256 << 10
"""Characters of a text whose statements are named."""
_NAMED = 3
_PASSED_OVER = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\[[^\]\n]*\]|--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STATEMENT = re.compile(
    r"\b(?P<verb>create|alter|drop)\s+(?:or\s+alter\s+|unique\s+|clustered\s+|nonclustered\s+)*(?P<kind>[a-z]+)"
    r"|\b(?P<dialog>begin\s+(?:dialog|conversation)|end\s+conversation|move\s+conversation)\b"
    r"|(?:^|;)\s*(?P<word>insert|update|delete|merge|select|truncate|exec|execute|grant|deny|revoke|print|send|receive"
    r"|declare|set|use|waitfor|backup|restore)\b",
    re.IGNORECASE | re.MULTILINE,
)


def without_statement(text: str) -> Sentence:
    """Say what a script has that has no statement about Service Broker."""
    found = _statements_in(text)
    if not found and _SETS.search(text):
        return SETS_VARIABLES
    if not found:
        return say("has no statement that makes or changes an object of Service Broker")
    return say(
        "has no statement that makes or changes an object of Service Broker; it begins with {statements}",
        statements=listed(found),
    )


def _statements_in(text: str) -> list[str]:
    """The kinds of its first statements; USE only where nothing else is there."""
    bare = _PASSED_OVER.sub(" ", text[:_LOOKED_AT])
    kinds = dict.fromkeys(_title(match) for match in _STATEMENT.finditer(bare))
    found = [kind for kind in kinds if kind != "USE"] or list(kinds)
    return found[:_NAMED]


def _title(match: re.Match[str]) -> str:
    words = (match["verb"], match["kind"]) if match["verb"] else ((match["dialog"] or match["word"]),)
    return " ".join(" ".join(words).split()).upper()


def of_nothing(instance: str, file: str, problem: Sentence) -> Finding:
    """The remark that a file changes nothing."""
    return Finding(NO_STATEMENT, SEVERITY[NO_STATEMENT], instance, None, None, problem, file=file)


def silent_instances(findings: Iterable[Finding], file_counts: Mapping[str, int]) -> frozenset[str]:
    """Names, folded, of the instances whose files all say nothing; `file_counts` has their files, by that name."""
    silent = Counter((one.instance or "").casefold() for one in findings if one.code == NO_STATEMENT)
    return frozenset(name for name, count in silent.items() if count >= file_counts.get(name, 0))


def without_files_of_variables(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings without files that are there for the scripts after them."""
    return tuple(one for one in findings if one.reason != SETS_VARIABLES)


def refuse_nothing(findings: Iterable[Finding], silent: frozenset[str], file_counts: Mapping[str, int]) -> None:
    """Raise `InputError` where no file of any instance says anything."""
    if silent and silent >= file_counts.keys():
        first = next(one for one in findings if one.code == NO_STATEMENT)
        raise InputError(first.file or "", "", say("{problem}: {advice}", problem=first.reason, advice=_WHAT_TO_DO))


def left_out(findings: Iterable[Finding], silent: frozenset[str]) -> tuple[Finding, ...]:
    """A warning for each file of the instances whose files all say nothing."""
    return tuple(_warning(one) for one in findings if _is_of(one, silent))


def _is_of(finding: Finding, silent: frozenset[str]) -> bool:
    return finding.code == NO_STATEMENT and (finding.instance or "").casefold() in silent


def _warning(finding: Finding) -> Finding:
    reason = say(
        "{problem}. No other file of {instance} has one, so that the import leaves this instance out: {advice}",
        problem=finding.reason,
        instance=finding.instance,
        advice=_WHAT_TO_DO,
    )
    return replace(finding, severity=WARNING, reason=reason)
