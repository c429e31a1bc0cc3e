"""The script against what applications left over: what it takes, and what it never does."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from routing.remedies.clean_up import LeftService, clean_up_sql, ending_sql
from routing.tsql.reading import ScriptGroup, read_scripts

SQL = clean_up_sql("Orders", [LeftService("//shop/Audit", "dbo.AuditQueue")], 7)
COMMENT = re.compile(r"--[^\n]*")


def test_it_only_counts_until_it_is_told_otherwise() -> None:
    assert "DECLARE @run bit = 0" in SQL
    code = COMMENT.sub("", SQL)
    assert code.index("WHILE @run = 1") < code.index("END CONVERSATION")
    assert code.count("END CONVERSATION") == 1


def test_it_takes_only_di_of_the_service_that_is_old_enough_and_has_no_unread_message() -> None:
    for condition in (
        "s.name IN (N'//shop/Audit') AND e.state = 'DI'",
        "DATEADD(day, -7, GETUTCDATE())",
        "< @before",
        "NOT EXISTS (SELECT * FROM [dbo].[AuditQueue] AS q WITH (NOLOCK)",
        "WHERE q.conversation_handle = e.conversation_handle)",
    ):
        assert condition in SQL
    # The count and the work ask for the same rows.
    assert SQL.count("e.state = 'DI'") == SQL.count("< @before") == 2


def test_it_never_cleans_up_and_touches_no_table_but_its_own() -> None:
    code = COMMENT.sub("", SQL).upper()
    assert "CLEANUP" not in code
    assert re.findall(r"(?:DELETE FROM|INSERT INTO|UPDATE|MERGE|DROP|ALTER|TRUNCATE)\s+([@\w]+)", code) == [
        "@TAKE",
        "@TAKE",
        "@LEFT",
        "@TAKE",
    ]


def test_a_conversation_with_a_lifetime_of_its_own_is_not_taken_before_that_is_over() -> None:
    """Its lifetime less 68 years would be long ago."""
    assert SQL.count("WHEN e.lifetime > DATEADD(year, 20, GETUTCDATE())") == 2
    assert SQL.count("ELSE e.lifetime END < @before") == 2


def test_names_cannot_leave_their_quotes() -> None:
    hostile = clean_up_sql("a]b", [LeftService("x' OR 1=1; --\nDROP TABLE t", "dbo.q]'")], 1)
    assert "USE [a]]b];" in hostile
    assert "N'x'' OR 1=1; --\nDROP TABLE t'" in hostile
    assert "[dbo].[q]]']" in hostile
    assert hostile.startswith("-- Ends what x' OR 1=1; -- DROP TABLE t left over")


def test_blocks_are_balanced_and_our_own_reader_finds_no_object_in_it() -> None:
    words = re.findall(r"\w+", COMMENT.sub("", SQL).upper())
    blocks = words.count("BEGIN") - words.count("TRANSACTION") + words.count("CASE")
    assert blocks == words.count("END") - 1  # END CONVERSATION
    group = ScriptGroup("server", None, [("clean.sql", SQL)])
    estate, _ = read_scripts([group], at=datetime(2026, 6, 1, tzinfo=UTC))
    assert not any(one.queues or one.user_services for one in estate.instances["server"].databases.values())


def test_the_lines_for_the_reader_end_at_both_messages() -> None:
    assert "ServiceBroker/EndDialog'" in ending_sql()
    assert "ServiceBroker/Error'" in ending_sql()
