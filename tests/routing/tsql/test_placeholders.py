"""Placeholders that were not filled in, and objects that every msdb has."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from routing.common.finding import INFO, Finding
from routing.tsql import ScriptGroup, read_scripts

AT = datetime(2026, 6, 1, tzinfo=UTC)


def findings_in(text: str) -> tuple[Finding, ...]:
    return read_scripts([ScriptGroup("h", None, [("x.sql", text)])], at=AT)[1]


@pytest.mark.parametrize(
    "name", ["To{0}", "%NAME%", "<x>", "@@x@@", "{{ route }}", "${route}", "<service name>", "__ROUTE__"]
)
def test_a_placeholder_as_a_name_is_told(name: str) -> None:
    [finding] = findings_in(f"USE Shop\nGO\nCREATE ROUTE [{name}] WITH ADDRESS = 'LOCAL'")
    assert (finding.code, finding.severity, finding.object, finding.line) == ("placeholder", "warning", name, 3)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE ROUTE r WITH SERVICE_NAME = '%SERVICE%', ADDRESS = 'LOCAL'",
        "CREATE QUEUE [%x%]",
        "CREATE DATABASE [{0}]",
        "USE [%db%]",
    ],
)
def test_every_name_of_a_statement_counts(statement: str) -> None:
    assert [finding.code for finding in findings_in(f"USE Shop\nGO\n{statement}\nCREATE QUEUE q")] == ["placeholder"]


@pytest.mark.parametrize("name", ["a%b", "{5FB8D92B-ED69-4C80-AFBB-2AA6A7D3CB2D}", "//x/{a/b}", "a<b", "x@@y"])
def test_other_names_are_none(name: str) -> None:
    assert findings_in(f"USE Shop\nGO\nCREATE ROUTE [{name}] WITH ADDRESS = 'LOCAL'") == ()


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER QUEUE ExternalMailQueue WITH STATUS = ON",
        "ALTER QUEUE [dbo].[InternalMailQueue] WITH STATUS = ON",
        "ALTER QUEUE syspolicy_event_queue WITH STATUS = ON",
        "DROP SERVICE ExternalMailService",
    ],
)
def test_what_every_msdb_has_is_not_missing(statement: str) -> None:
    [finding] = findings_in(f"USE msdb\nGO\n{statement}")
    assert (finding.code, finding.severity) == ("not-found", INFO)
    assert "every msdb has it" in str(finding.reason)
    assert "every" not in str(findings_in(f"USE Shop\nGO\n{statement}")[0].reason)
