"""The question in an address, as the engine takes it, and as the line of a shell."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime

import pytest

from brokerui.core.home import CHECKOUT
from brokerui.pages.where.choices import choices_of
from brokerui.pages.where.default_question import default_question
from brokerui.pages.where.question import WhereQuestion, command, read
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.rules.explanation import explain
from tests.brokerui.estates import EVERY_KIND, database, document, instance

ESTATE = read_estate(EVERY_KIND)
EXAMPLES = CHECKOUT / "examples"
GUID = "{5FB8D92B-ed69-4c80-afbb-2aa6a7d3cb2d}"


def ask(**values: str) -> WhereQuestion:
    return WhereQuestion.of({name.rstrip("_"): value for name, value in values.items()})


def test_a_conversation_of_a_database() -> None:
    question = read(ask(from_="hub/Sales", to="Ship", broker=GUID, service="SalesOut", at="2030-01-01"), ESTATE)
    assert question.faults == {}
    assert question.conversation == Conversation("hub", "Sales", "Ship", GUID.lower()[1:-1], from_service="SalesOut")
    assert question.at == datetime(2030, 1, 1, tzinfo=UTC)


def test_a_message_from_outside_may_be_a_reply() -> None:
    assert read(ask(from_="outside:hub", to="Ship", reply="1"), ESTATE).conversation == Conversation(
        "hub", None, "Ship", is_reply=True
    )


def test_what_begins_in_a_database_is_no_reply() -> None:
    conversation = read(ask(from_="hub/Sales", to="Ship", reply="1"), ESTATE).conversation
    assert conversation is not None
    assert not conversation.is_reply


def test_msdb_is_everywhere_also_where_it_is_not_written() -> None:
    estate = read_estate(document(instance("a")))
    assert read(ask(from_="a/msdb", to="S"), estate).conversation == Conversation("a", "msdb", "S")


def test_names_may_hold_slashes_and_colons() -> None:
    odd = instance("a/b", database("c")), instance("outside:a", database("b/c"), database("d:e"))
    estate = read_estate(document(*(one | {"addresses": []} for one in odd)))
    assert read(ask(from_="a/b/c", to="S"), estate).conversation == Conversation("a/b", "c", "S")
    assert read(ask(from_="outside:a/b/c", to="S"), estate).conversation == Conversation("outside:a", "b/c", "S")
    assert read(ask(from_="outside:a/b", to="S"), estate).conversation == Conversation("a/b", None, "S")
    assert read(ask(from_="outside:outside:a", to="S"), estate).conversation == Conversation("outside:a", None, "S")


def test_what_may_mean_two_databases_is_a_fault_and_each_has_a_text_of_its_own() -> None:
    odd = instance("a", database("b/c")), instance("a/b", database("c"))
    estate = read_estate(document(*(one | {"addresses": []} for one in odd)))
    question = read(ask(from_="a/b/c", to="S"), estate)
    assert str(question.faults["from"]) == (
        'This may mean exact:a:b%2Fc (database "b/c" on a), or exact:a%2Fb:c (database "c" on a/b): write which.'
    )
    values = [value for group in choices_of("slashes", estate).groups for value, _ in group.databases]
    assert values == ["exact:a:b%2Fc", "exact:a%2Fb:c"]
    found = [read(ask(from_=value, to="S"), estate).conversation for value in values]
    assert found == [Conversation("a", "b/c", "S"), Conversation("a/b", "c", "S")]
    assert "--from exact:a%2Fb:c " in command(Conversation("a/b", "c", "S"), None, "e.json", estate)
    assert default_question(estate, datetime(2026, 1, 1, tzinfo=UTC)).get("from") == "exact:a:b%2Fc"


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("from_", "", "Choose where the conversation begins."),
        ("from_", "nowhere/Sales", 'There is no instance "nowhere" here. Write HOST/DATABASE, or outside:HOST.'),
        ("from_", "hub/Nothing", 'There is no database "Nothing" on hub.'),
        ("from_", "outside:nowhere", 'There is no instance "nowhere" here.'),
        ("from_", "hub", 'There is no instance "hub" here. Write HOST/DATABASE'),
        ("to", "", "Name the service that the conversation is for."),
        ("to", "x" * 300, "This is longer than 256 characters."),
        ("broker", "zz", 'This must be a GUID (8-4-4-4-12 hex digits), not "zz".'),
        ("service", "\ud800", "This holds a NUL or half a surrogate pair."),
        ("at", "never", "This must be a date and time as ISO 8601"),
        ("at", "9" * 5000, "This must be a date and time as ISO 8601"),
    ],
)
def test_each_fault_is_told_of_its_field(field: str, value: str, fault: str) -> None:
    question = read(ask(**{"from_": "hub/Sales", "to": "Ship", field: value}), ESTATE)
    assert question.conversation is None
    assert list(question.faults) == [field.rstrip("_")]
    assert str(question.faults[field.rstrip("_")]).startswith(fault)


def test_a_time_keeps_its_offset_though_nobody_escaped_the_plus() -> None:
    question = read(ask(from_="hub/Sales", to="Ship", at="2030-01-01T02:00:00 02:00"), ESTATE)
    assert question.at == datetime(2030, 1, 1, tzinfo=UTC)


def test_empty_fields_do_not_stand_in_the_address() -> None:
    assert (
        ask(from_="hub/Sales", to="Ship", broker="", at=" ").query({"scenario": "x"})
        == "scenario=x&from=hub%2FSales&to=Ship"
    )


def test_spaces_around_a_name_are_part_of_it() -> None:
    estate = read_estate(document(instance("  lead", database("D ")) | {"addresses": []}))
    question = ask(from_="  lead/D ", to="Orders ", service=" Own", broker=f" {GUID} ", at=" 2030-01-01 ")
    parsed = read(question, estate)
    assert parsed.conversation == Conversation("  lead", "D ", "Orders ", GUID.lower()[1:-1], from_service=" Own")
    words = shlex.split(command(parsed.conversation, parsed.at, "e.json", estate))
    assert [words[words.index(option) + 1] for option in ("--from", "--to", "--service")] == [
        *("  lead/D ", "Orders ", " Own"),
    ]
    outside = read(ask(from_="outside:  lead", to=" "), estate)
    assert outside.conversation == Conversation("  lead", None, " ")


def test_the_command_is_quoted_for_a_shell() -> None:
    conversation = Conversation("a b", "it's", "$(x)", GUID.lower()[1:-1], from_service="-own")
    line = command(conversation, datetime(2030, 1, 1, tzinfo=UTC), "my estate.json", ESTATE)
    assert shlex.split(line) == [
        *(".venv/bin/brokerui", "explain", "my estate.json", "--from", "a b/it's", "--to", "$(x)"),
        *("--broker", GUID.lower()[1:-1], "--service=-own", "--at", "2030-01-01T00:00:00Z"),
    ]


def test_the_command_of_a_reply_from_outside() -> None:
    conversation = Conversation("hub", None, "Ship", is_reply=True)
    assert command(conversation, None, "e.json", ESTATE) == (
        ".venv/bin/brokerui explain e.json --outside hub --to Ship --reply"
    )


@pytest.mark.parametrize("name", ["6-forward-one-service", "7-forward-everything"])
def test_the_first_question_of_an_example_of_forwarding_shows_it(name: str) -> None:
    estate, now = read_estate((EXAMPLES / f"{name}.json").read_bytes()), datetime(2026, 1, 1, tzinfo=UTC)
    instance, database = default_question(estate, now).values["from"].split("/")
    conversation = Conversation(instance, database, default_question(estate, now).values["to"])
    assert len(explain(estate, conversation, now).forward.hops) > 2


def test_the_first_question_is_one_with_much_to_show() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert default_question(ESTATE, now).values == {"from": "hub/Sales", "to": "Ship"}
    assert default_question(read_estate(document()), now).values == {}
    assert default_question(read_estate(document(instance("a", database("X")))), now).values["from"] == "a/X"
