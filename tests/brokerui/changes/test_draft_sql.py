"""A draft as T-SQL: the script of an instance leads to the same estate when it is read, whatever was drawn."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from brokerui.changes.draft_sql import draft_sql, script_between, script_of, sql_read, sql_replace
from brokerui.changes.errors import DraftStaleError, SqlRefusedError
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_estate, draft_get
from brokerui.changes.services import draft_create, draft_undo, edits_append, edits_replace
from routing.common.errors import Invalid
from routing.documents.estate_document import write_estate
from routing.model.edits import DropInstance, DropRoute
from routing.model.estate import Edit, Estate
from tests.brokerui.changes.helpers import AUTHOR, document_of, edits_of, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.strategies.rich import edited

AT, LATER = datetime(2026, 6, 1, tzinfo=UTC), datetime(2031, 6, 1, tzinfo=UTC)
few = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow], deadline=None)
ROUTE = "USE [Orders];\nCREATE ROUTE [New] WITH SERVICE_NAME = N'Parts', ADDRESS = N'tcp://there.example:4022';"


class Drawn(TestCase):
    """Each example in a transaction of its own, which is rolled back."""

    @few
    @given(edited())
    def test_what_was_read_is_written_back_without_a_trace(self, drawn: tuple[Estate, list[Edit]]) -> None:
        estate, edits = drawn
        brought_in(estate)
        draft = draft_create(name="drawn", author=AUTHOR, edits=edits)
        before = document_of(draft)
        for instance, sql in draft_sql(draft).items():
            written = sql_replace(**seen(draft), instance=instance, sql=sql, at=LATER)
            assert (written.draft.revision, written.unsupported) == (draft.revision, ())
        assert document_of(draft) == before

    @few
    @given(edited())
    def test_the_scripts_alone_make_the_draft_of_its_base(self, drawn: tuple[Estate, list[Edit]]) -> None:
        estate, edits = drawn
        brought_in(estate)
        draft = draft_create(name="drawn", author=AUTHOR, edits=edits)
        wanted, scripts = draft_estate(draft).estate, draft_sql(draft)
        draft = edits_replace(**seen(draft), edits=[])
        for instance, sql in scripts.items():
            draft = sql_replace(**seen(draft), instance=instance, sql=sql, at=LATER).draft
        made = draft_estate(draft_get(draft.id)).estate
        assert draft_sql(draft_get(draft.id)).keys() == scripts.keys()
        for name, instance in made.instances.items():
            assert write_estate(Estate({name: instance})) == write_estate(Estate({name: wanted.instances[name]}))
        assert set(made.instances) == set(wanted.instances)

    @few
    @given(edited(), st.integers(0, 3))
    def test_a_kept_script_is_carried_on_to_whatever_the_draft_becomes(
        self, drawn: tuple[Estate, list[Edit]], count: int
    ) -> None:
        estate, edits = drawn
        brought_in(estate)
        draft = draft_create(name="drawn", author=AUTHOR, edits=edits[:count])
        for instance, sql in draft_sql(draft).items():
            commented = "".join(
                f"-- why {line}\n{line}\n" if line.startswith("CREATE") else f"{line}\n" for line in sql.splitlines()
            )
            draft = sql_replace(**seen(draft), instance=instance, sql=commented, at=AT).draft
            assert draft_sql(draft)[instance] == commented
        draft = edits_append(**seen(draft), edits=edits[count:])
        before = document_of(draft)
        for instance, sql in draft_sql(draft).items():
            assert sql_read(draft, instance, sql, LATER).edits is None
        assert document_of(draft) == before


@pytest.fixture
def draft(db: None) -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="Move", author=AUTHOR)


def replaced(draft: SavedDraft, sql: str, instance: str = "here") -> SavedDraft:
    return sql_replace(**seen(draft_get(draft.id)), instance=instance, sql=sql, at=AT).draft


def test_a_script_is_one_step_that_can_be_taken_back(draft: SavedDraft) -> None:
    before = document_of(draft)
    replaced(draft, ROUTE)
    assert [type(edit).__name__ for edit in edits_of(draft)] == ["PutRoute"]
    assert "CREATE ROUTE [New]" in draft_sql(draft_get(draft.id))["here"]
    draft_undo(**seen(draft_get(draft.id)))
    assert document_of(draft) == before


KEPT = """-- Parts go there while the store here is counted.
USE [Orders];
/* By ticket 12. */
CREATE ROUTE [Second] WITH SERVICE_NAME = N'Parts', ADDRESS = N'tcp://there.example:4022';

-- Asked for by the shop.
CREATE ROUTE [First] WITH
    SERVICE_NAME = N'Bills',
    ADDRESS = N'tcp://there.example:4022';
"""


def test_comments_and_order_stay_as_they_were_written(draft: SavedDraft) -> None:
    replaced(draft, KEPT)
    assert draft_sql(draft_get(draft.id)) == {"here": KEPT}
    assert sql_read(draft_get(draft.id), "here", KEPT, LATER).further == ()


def test_a_comment_stays_as_long_as_its_statement_has_an_object(draft: SavedDraft) -> None:
    replaced(draft, KEPT)
    edits_append(**seen(draft_get(draft.id)), edits=[put("Third"), put("Second")])
    text = script_of(draft_get(draft.id), "here")
    assert [text.count(part) for part in ("ticket 12", "[Second]", "Asked for", "[First]", "[Third]")] == [1] * 5
    assert text.index("[Second]") < text.index("[First]") < text.index("[Third]")
    edits_append(**seen(draft_get(draft.id)), edits=[DropRoute("here", "Orders", "First")])
    text = script_of(draft_get(draft.id), "here")
    assert ("Asked for" in text, "[First]" in text, "ticket 12" in text) == (False, False, True)
    draft_undo(**seen(draft_get(draft.id)))
    draft_undo(**seen(draft_get(draft.id)))
    assert script_of(draft_get(draft.id), "here") == KEPT


def test_other_instances_stay_as_drafted_and_an_empty_script_takes_back_one(draft: SavedDraft) -> None:
    other = next(name for name in TWO.instances if name != "here")
    edits_replace(**seen(draft), edits=[put("Mine"), DropInstance(other)])
    assert draft_sql(draft_get(draft.id))[other] == f'-- brokerui: {{"drop": {{"instance": "{other}"}}}}'
    replaced(draft, "")
    assert edits_of(draft) == [DropInstance(other)]
    replaced(draft, "", other)
    assert (edits_of(draft), document_of(draft)) == ([], write_estate(TWO))


def test_an_instance_that_was_dropped_comes_back_to_its_place(draft: SavedDraft) -> None:
    first = next(iter(TWO.instances))
    edits_replace(**seen(draft), edits=[DropInstance(first)])
    replaced(draft, "CREATE DATABASE [Attic];", first)
    assert list(draft_estate(draft_get(draft.id)).estate.instances) == list(TWO.instances)


def test_a_lifetime_counts_from_now_and_its_end_stays_when_the_script_is_read_later(draft: SavedDraft) -> None:
    replaced(draft, ROUTE.replace("ADDRESS", "LIFETIME = 3600, ADDRESS"))
    [edit] = edits_of(draft)
    assert edit.route.lifetime == datetime(2026, 6, 1, 1, tzinfo=UTC)  # type: ignore[union-attr]  # a PutRoute
    sql = draft_sql(draft_get(draft.id))["here"]
    assert "2026-06-01T01:00:00Z" in sql
    assert sql_read(draft_get(draft.id), "here", sql, LATER).edits is None


@pytest.mark.parametrize(
    ("sql", "line", "problem"),
    [
        (f"{ROUTE}\nCREATE ROUTE [S] WITH ADRESS = N'x';", 3, "ADRESS"),
        (f"{ROUTE}\n\n{ROUTE}", 5, "there already"),
        ("USE [Orders];\nGO\nPRINT 1;\nALTER ROUTE [Gone] WITH ADDRESS = N'LOCAL';", 4, "Gone"),
        ("-- brokerui: {", 1, "cannot be read"),
    ],
)
def test_each_line_that_cannot_be_taken_is_named_and_nothing_is_written(
    draft: SavedDraft, sql: str, line: int, problem: str
) -> None:
    with pytest.raises(SqlRefusedError) as caught:
        replaced(draft, sql)
    assert [found.line for found in caught.value.findings] == [line]
    assert problem in str(caught.value.findings[0].reason)
    assert edits_of(draft) == []


@pytest.mark.parametrize(
    "sql",
    [
        '-- brokerui: {"hop_limit": 3}',
        '-- brokerui: {"instance": {"name": "third", "addresses": ["tcp://third:4022"]}}',
    ],
)
def test_a_script_changes_its_own_instance_alone(draft: SavedDraft, sql: str) -> None:
    with pytest.raises(Invalid, match=r"hop limit|as well"):
        replaced(draft, sql)
    assert edits_of(draft) == []


def test_statements_that_the_draft_cannot_hold_are_listed_with_their_lines(draft: SavedDraft) -> None:
    sql = f"{ROUTE}\nDECLARE @s nvarchar(max);\nSELECT @s = x FROM t;\nEXEC (@s);"
    written = sql_replace(**seen(draft), instance="here", sql=sql, at=AT)
    assert [(one.line, one.file) for one in written.unsupported] == [(5, None)]
    assert [type(edit).__name__ for edit in edits_of(draft)] == ["PutRoute"]


@pytest.mark.parametrize("name", ["HERE", "Here"])
def test_an_instance_is_known_in_any_case(draft: SavedDraft, name: str) -> None:
    written = sql_replace(**seen(draft), instance=name, sql=ROUTE, at=AT)
    assert [getattr(edit, "instance", None) for edit in edits_of(written.draft)] == ["here"]
    assert draft_sql(draft_get(draft.id)).keys() == {"here"}
    assert sql_read(draft_get(draft.id), name, ROUTE, AT).further == ()


def test_a_draft_that_was_written_since_is_refused(draft: SavedDraft) -> None:
    replaced(draft, ROUTE)
    with pytest.raises(DraftStaleError):
        sql_replace(**seen(draft), instance="here", sql="", at=AT)
    assert len(edits_of(draft)) == 1


def test_an_instance_without_changes_has_no_script(draft: SavedDraft) -> None:
    base = draft_base(draft).estate
    assert [script_between(base, base, name) for name in base.instances] == ["", ""]
    assert draft_sql(draft) == {}
