"""The check of instances whose scripts were imported in part."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.finding import WARNING, Finding
from routing.common.sentence import Sentence, say_counted
from routing.lint.context import LintContext
from routing.lint.linted_objects import instance_finding
from routing.model.missing_statement import MissingStatement


def missing_statements(scene: LintContext) -> Iterator[Finding]:
    """An instance whose scripts have statements that the estate lacks: other findings may be so for this reason."""
    for instance in scene.instances:
        if instance.missing_statements:
            yield instance_finding("missing-statements", WARNING, instance, _reason(instance.missing_statements), None)


def _reason(missing: tuple[MissingStatement, ...]) -> Sentence:
    first = missing[0]
    return say_counted(
        len(missing),
        "{count} statement of its scripts could not be applied here: {which}."
        " For that reason, checks of this instance may be wrong, or miss something.",
        "{count} statements of its scripts could not be applied here; the first is {which}."
        " For that reason, checks of this instance may be wrong, or miss something.",
        which=named(first),
    )


def named(missing: MissingStatement) -> str:
    """`CREATE ROUTE name (file:line)`, as far as it is known."""
    words = [part for part in (missing.statement, missing.object) if part]
    place = ":".join(str(part) for part in (missing.file, missing.line) if part)
    return " ".join([*words, f"({place})"] if place else words) or "?"
