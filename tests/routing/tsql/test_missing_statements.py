"""What an import could not apply is remembered by the estate, through every way that an estate can go."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.analysis.explanations.wording import headline
from routing.catalog.applying import apply_snapshot
from routing.catalog.document import read_catalog
from routing.common.errors import InputError
from routing.documents.edits_json import edit_as_json, edit_from
from routing.documents.estate_document import read_estate, write_estate
from routing.lint.registry import lint
from routing.model.conversation import Conversation
from routing.model.edits import PutInstance
from routing.model.estate import Estate
from routing.model.missing_statement import MAX_MISSING_STATEMENTS, MissingStatement
from routing.rules.explanation import explain
from routing.tsql import ScriptGroup, export_sql, read_scripts
from tests.routing.catalog.server import catalog, dumps
from tests.routing.tsql.rich import AT

HEAD = "CREATE DATABASE Till\nGO\nUSE Till\nGO\nCREATE QUEUE q\nCREATE SERVICE [//Till] ON QUEUE q\nGO\n"
UNKNOWN = "EXEC (@c + N'CREATE ROUTE ToStore WITH ADDRESS = ''tcp://store:4022''')"


def read(*texts: str, into: Estate | None = None) -> Estate:
    scripts = [(f"{number}.sql", text) for number, text in enumerate(texts)]
    return read_scripts([ScriptGroup("h", None, scripts)], into=into, at=AT)[0]


def missing(estate: Estate) -> tuple[MissingStatement, ...]:
    return estate.instances["h"].missing_statements


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (UNKNOWN, MissingStatement("CREATE ROUTE", "Till", "ToStore", "0.sql", 8)),
        (
            "CREATE ROUTE [$(r)] WITH ADDRESS = 'LOCAL'",
            MissingStatement("CREATE ROUTE", "Till", "$(r)", "0.sql", 8),
        ),
        ("CREATE SERVICE s AT q", MissingStatement("CREATE SERVICE", "Till", "s", "0.sql", 8)),
        (
            "EXEC ('USE msdb; CREATE ROUTE r WITH ADDRESS = ''LOCAL''' + @x)",
            MissingStatement("CREATE ROUTE", "msdb", "r", "0.sql", 8),
        ),
        (
            "CREATE PROC p AS CREATE QUEUE p\nGO\nEXEC p",
            MissingStatement("CREATE QUEUE", "Till", "dbo.p", "0.sql", 8),
        ),
    ],
)
def test_a_statement_that_is_known_only_when_it_runs_is_remembered(text: str, statement: MissingStatement) -> None:
    assert missing(read(HEAD + text)) == (statement,)


def test_what_is_known_leaves_nothing_to_remember() -> None:
    assert missing(read(HEAD + UNKNOWN.replace("@c + ", ""))) == ()


def test_it_is_forgotten_once_another_script_makes_the_object() -> None:
    made = "USE Till\nGO\nCREATE ROUTE toSTORE WITH ADDRESS = 'LOCAL'"
    assert missing(read(HEAD + UNKNOWN, made)) == ()
    assert missing(read(made, into=read(HEAD + UNKNOWN))) == ()


def test_it_is_forgotten_once_the_instance_itself_tells() -> None:
    snapshot = read_catalog(dumps(catalog(read(HEAD).instances["h"])), where="f")
    assert apply_snapshot(read(HEAD + UNKNOWN), "h", snapshot).estate.instances["h"].missing_statements == ()


def test_documents_exports_and_edits_keep_it() -> None:
    estate = read(HEAD + UNKNOWN)
    assert read_estate(write_estate(estate)) == estate
    exported = read_scripts([ScriptGroup("any", None, [("e", export_sql(estate, at=AT))])], at=AT)[0]
    assert write_estate(exported) == write_estate(estate)
    edit = PutInstance(estate.instances["h"])
    assert edit_from(edit_as_json(edit)) == edit
    table = estate.instances["h"].databases["Till"].table
    assert estate.instances["h"].with_table("Till", table).missing_statements == missing(estate)


def test_a_document_without_it_is_as_before() -> None:
    assert "missing_statements" not in write_estate(read(HEAD))


def test_an_estate_keeps_a_limited_number() -> None:
    estate = read(HEAD + "".join(f"EXEC (@c + 'CREATE QUEUE q{n}')\n" for n in range(MAX_MISSING_STATEMENTS + 5)))
    assert len(missing(estate)) == MAX_MISSING_STATEMENTS
    assert read_estate(write_estate(estate)) == estate
    text = write_estate(estate).replace('"missing_statements": [', '"missing_statements": [{}, ')
    with pytest.raises(InputError, match="missing_statements: has more than 1000 rows"):
        read_estate(text)


def test_names_of_any_length_and_kind_are_kept_as_far_as_an_estate_can() -> None:
    hostile = f"EXEC (@c + 'CREATE ROUTE [{'x' * 10_000}]; CREATE ROUTE [a\0b]')"
    estate = read(HEAD + hostile)
    assert [one.object for one in missing(estate)] == [None]
    assert read_estate(write_estate(estate)) == estate


def codes(estate: Estate) -> list[str]:
    return [finding.code for finding in lint(estate, AT)]


def test_lint_never_finds_nothing_in_what_was_read_in_part() -> None:
    assert "missing-statements" not in codes(read(HEAD))
    estate = read(HEAD + UNKNOWN + "\nCREATE QUEUE [$(x)]")
    [finding] = [one for one in lint(estate, AT) if one.code == "missing-statements"]
    assert (finding.severity, finding.instance) == ("warning", "h")
    assert str(finding.reason).startswith("2 statements of its scripts could not be applied here")
    assert "CREATE ROUTE ToStore (0.sql:8)" in str(finding.reason)


def lines_of(estate: Estate, service: str = "//Store", **more: Any) -> list[str]:
    answer = headline(explain(estate, Conversation("h", "Till", service, **more), AT), estate)
    return [str(sentence) for sentence in answer.details]


def test_an_answer_says_that_it_may_hang_on_a_missing_route() -> None:
    assert lines_of(read(HEAD + UNKNOWN))[-1].startswith(
        "1 statement of the scripts of h is missing in this estate, CREATE"
    )
    assert not [line for line in lines_of(read(HEAD)) if "missing" in line]


def test_a_route_that_is_missing_in_a_database_nobody_asks_plays_no_part() -> None:
    elsewhere = f"USE Other\nGO\n{UNKNOWN}"
    assert not [line for line in lines_of(read(HEAD + elsewhere)) if "missing" in line]
    service = "USE Other\nGO\nEXEC (@c + 'CREATE SERVICE [//Store] ON QUEUE q')"
    assert [line for line in lines_of(read(HEAD + service)) if "missing" in line]


def test_an_alter_of_an_object_that_no_script_makes_is_remembered() -> None:
    gone = "ALTER ROUTE Gone WITH ADDRESS = 'TCP://x:4022'\nALTER SERVICE None_ (ADD CONTRACT [c])\nDROP ROUTE Never\n"
    found = [(one.statement, one.object) for one in missing(read(f"{HEAD}\n{gone}"))]
    assert found == [("ALTER ROUTE", "Gone"), ("ALTER SERVICE", "None_")], "a DROP leaves nothing missing"
    assert missing(read(f"{HEAD}\nALTER QUEUE q WITH STATUS = OFF\n")) == (), "it was applied"


LINKED = (
    "EXEC ('CREATE ROUTE r WITH ADDRESS = ''LOCAL''') AT [FAR]",
    "EXEC FAR.Db.sys.sp_executesql N'CREATE ROUTE r WITH ADDRESS = ''LOCAL'''",
)


@pytest.mark.parametrize("text", LINKED)
def test_a_string_for_a_linked_server_is_missing_there_alone(text: str) -> None:
    estate = read(f"{HEAD}\n{text}\n")
    assert missing(estate) == ()
    both = ScriptGroup("FAR", None, [("f.sql", HEAD)]), ScriptGroup("h", None, [("h.sql", text)])
    far = read_scripts(both, into=None, at=AT)[0].instances["FAR"]
    assert [one.statement for one in far.missing_statements] == ["CREATE ROUTE"]
