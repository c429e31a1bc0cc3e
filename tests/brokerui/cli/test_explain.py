"""`brokerui explain`: the answer, every rule, the way back; as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.rules.journey import outcomes
from tests.brokerui.cli.command_line import (
    AT,
    FOUND,
    LOST,
    ORDERS_ID,
    PARTS_ID,
    Call,
    Json,
    call_with,
    is_golden,
    misused,
    refused,
    route,
    written,
)
from tests.strategies import AT as MOMENT

FROM_ORDERS = ("--from", "host1/Orders", "--to", "Stock", *AT)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@pytest.fixture
def explain(call: Call, tmp_path: Path) -> Call:
    """The command on an estate."""
    return lambda estate, *arguments: call("explain", written(tmp_path, "e.json", estate), *arguments)


@pytest.fixture
def explain_json(explain: Call) -> Call:
    """Its answer as JSON."""

    def telling(estate: object, *arguments: object) -> Json:
        result = explain(estate, *arguments, "--format", "json")
        assert (result.status, result.err) == (0, "")
        answer: Json = json.loads(result.out)
        return answer

    return telling


# ---------------------------------------------------------------- text


def test_text_begins_with_the_answer_and_gives_every_rule_forth_and_back(explain: Call) -> None:
    result = explain(FOUND, *FROM_ORDERS)
    assert (result.status, result.err) == (0, "")
    assert is_golden("explain.txt", result.out)


def test_of_several_outcomes_the_text_lists_each(explain: Call) -> None:
    copies = [{"name": name, "services": ["Stock"], "routes": []} for name in ("Copy", "Other")]
    msdb = {"name": "msdb", "routes": [{"name": "Auto", "address": "LOCAL"}]}
    estate = {"format": "brokerui.estate/1", "instances": [{"name": "host1", "databases": [*copies, msdb]}]}
    result = explain(estate, "--outside", "host1", "--to", "Stock", *AT)
    assert is_golden("explain-copies.txt", result.out)


@pytest.mark.parametrize("language", ["en", "es", "fr", "pt-br", "zh-hans"])
def test_a_language_without_a_catalogue_is_english(explain: Call, language: str) -> None:
    result = explain(FOUND, *FROM_ORDERS, "--lang", language)
    assert (result.status, result.err) == (0, "")
    assert "MATCH-2" in result.out


def test_an_unknown_language_is_bad_usage(explain: Call) -> None:
    assert "argument --lang: invalid choice: 'de'" in misused(explain(FOUND, *FROM_ORDERS, "--lang", "de"))


# ---------------------------------------------------------------- JSON


def test_json_has_the_question_the_answer_and_the_accounts(explain_json: Call) -> None:
    answer = explain_json(FOUND, *FROM_ORDERS)
    keys = ["conversation", "at", "answer", "verdict", "outcomes", "hops", "return", "remedies", "collected"]
    assert list(answer) == keys
    assert answer["conversation"]["from"] == {"instance": "host1", "database": "Orders"}
    assert (answer["at"], answer["verdict"]) == ("2026-06-01T00:00:00Z", "must_deliver")
    (end,) = answer["outcomes"]
    assert {key: end[key] for key in ("outcome", "instance", "database")} == {
        "outcome": "delivered",
        "instance": "host2",
        "database": "Parts",
    }
    (leg,) = end["path"]
    address = "tcp://host2.example:4022"
    expected = {"instance": "host1", "database": "Orders", "route": "ToParts", "address": address, "to": "host2"}
    assert leg == expected


def test_every_hop_has_its_table_its_rules_and_its_decisions(explain_json: Call) -> None:
    first, second = explain_json(FOUND, *FROM_ORDERS)["hops"]
    assert [(hop["instance"], hop["table"], hop["from_outside"]) for hop in (first, second)] == [
        ("host1", "Orders", False),
        ("host2", "msdb", True),
    ]
    assert [rule["rule"] for rule in first["rules"] if rule["taken"]] == ["MATCH-2", "CHOOSE-3"]
    (rule,) = (rule for rule in first["rules"] if rule["rule"] == "MATCH-2")
    assert set(rule) == {"rule", "taken", "says", "routes", "rejected", "more_rejected", "branch"}
    assert rule["routes"] == ["ToParts"]
    assert [rejected["route"] for rejected in rule["rejected"]] == ["Auto"]
    assert second["decisions"] == [{"decision": "deliver", "database": "Parts", "route": "Auto"}]


def test_the_way_back_of_each_own_service_is_told(explain_json: Call) -> None:
    """Without --service, one for each service of the origin database."""
    (back,) = explain_json(FOUND, *FROM_ORDERS)["return"]
    assert (back["to_service"], back["target"]) == ("Entry", {"instance": "host2", "database": "Parts"})
    assert back["outcomes"][0]["reason"] == "no_route"
    (other,) = explain_json(FOUND, *FROM_ORDERS, "--service", "Other")["return"]
    assert other["to_service"] == "Other"


def test_from_outside_there_is_no_way_back_to_follow(explain_json: Call) -> None:
    assert explain_json(FOUND, "--outside", "host2", "--to", "Stock")["return"] == []


@pytest.mark.parametrize(
    ("arguments", "document"),
    [
        (("--from", "host1/Orders", "--to", "Stock"), {"from": {"instance": "host1", "database": "Orders"}}),
        (("--from", "host2/msdb", "--to", "Stock"), {"from": {"instance": "host2", "database": "msdb"}}),
        (("--outside", "host2", "--to", "Stock"), {"from": {"outside": "host2"}}),
        (
            ("--outside", "host2", "--to", "Stock", "--broker", f"{{{PARTS_ID.upper()}}}"),
            {"from": {"outside": "host2"}, "to_broker_instance": PARTS_ID},
        ),
        (
            ("--outside", "host1", "--to", "Stock", "--broker", ORDERS_ID, "--reply"),
            {"from": {"outside": "host1"}, "to_broker_instance": ORDERS_ID, "is_reply": True},
        ),
    ],
)
def test_explain_ends_as_outcomes_do(explain_json: Call, arguments: tuple[str, ...], document: Json) -> None:
    answer = explain_json(FOUND, *arguments, *AT)
    conversation = conversation_from({**document, "to_service": "Stock"})
    expected = [end.as_json() for end in outcomes(read_estate(json.dumps(FOUND)), conversation, MOMENT)]
    assert [{key: end[key] for key in first} for end, first in zip(answer["outcomes"], expected, strict=True)] == (
        expected
    )


# ---------------------------------------------------------------- where the conversation begins


def slashed() -> Json:
    """Names that hold slashes: `a/b` has the database `c`, and `a` has `b/c` and `b/d`."""
    databases = {"a": ["b/c", "b/d"], "a/b": ["c"]}
    instances = [{"name": host, "databases": [{"name": name} for name in names]} for host, names in databases.items()]
    return {"format": "brokerui.estate/1", "instances": instances}


@pytest.mark.parametrize(
    ("given", "instance", "database"),
    [("a/b/d", "a", "b/d"), ("a/b/msdb", "a/b", "msdb"), ("a/msdb", "a", "msdb"), ("exact:a%2Fb:c", "a/b", "c")],
)
def test_where_names_hold_slashes_the_estate_decides(
    explain_json: Call, given: str, instance: str, database: str
) -> None:
    answer = explain_json(slashed(), "--from", given, "--to", "S")
    assert answer["conversation"]["from"] == {"instance": instance, "database": database}


def test_what_may_mean_two_databases_is_refused_and_told_how_to_say_which(explain: Call) -> None:
    assert refused(explain(slashed(), "--from", "a/b/c", "--to", "S")) == (
        '--from: may mean exact:a:b%2Fc (database "b/c" on a), or exact:a%2Fb:c (database "c" on a/b): write which'
    )
    assert refused(explain(slashed(), "--from", "exact:a:x", "--to", "S")) == '--from: there is no database "x" on "a"'


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--from", "host9/Orders", "--to", "S"), '--from: there is no instance "host9" in the estate'),
        (("--from", "host1/orders", "--to", "S"), '--from: there is no database "orders" on "host1"'),
        (("--from", "host1/", "--to", "S"), '--from: there is no database "" on "host1"'),
        (("--from", "/Orders", "--to", "S"), '--from: there is no instance "" in the estate'),
        (("--outside", "host1/Orders", "--to", "S"), '--outside: there is no instance "host1/Orders" in the estate'),
        (("--outside", "host1", "--to", ""), "--to: must not be empty"),
        (("--outside", "host1", "--to", "x" * 257), "--to: is longer than 256 characters"),
        (("--outside", "host1", "--to", "\udcff"), "--to: holds a NUL or half a surrogate pair"),
        (("--outside", "\udcff", "--to", "S"), r'--outside: there is no instance "\udcff" in the estate'),
        (("--outside", "host1", "--to", "S", "--service", ""), "--service: must not be empty"),
    ],
)
def test_what_the_estate_does_not_have_is_refused(explain: Call, arguments: tuple[str, ...], says: str) -> None:
    assert refused(explain(LOST, *arguments)) == says


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--to", "S"), "one of the arguments --from --outside is required"),
        (("--from", "host1/Orders"), "the following arguments are required: --to"),
        (("--from", "host1", "--to", "S"), "argument --from: must be HOST/DB, not 'host1'"),
        (("--from", "h/d", "--outside", "h", "--to", "S"), "argument --outside: not allowed with argument --from"),
        (
            ("--outside", "h", "--to", "S", "--broker", "1"),
            'argument --broker: must be a GUID (8-4-4-4-12 hex digits), not "1"',
        ),
        (("--outside", "h", "--to", "S", "--format", "xml"), "argument --format: invalid choice: 'xml'"),
    ],
)
def test_bad_usage_is_told(explain: Call, arguments: tuple[str, ...], says: str) -> None:
    assert says in misused(explain(LOST, *arguments))


# ---------------------------------------------------------------- names that would write to the terminal

EVIL = "S\x1b[2J\nAlways delivered: nothing \u202eereht"


def test_names_cannot_write_to_the_terminal(explain: Call) -> None:
    databases = [
        {"name": f"D{EVIL}", "services": ["Own"], "routes": [route(f"R{EVIL}", service=EVIL)]},
        {"name": f"T{EVIL}", "services": [EVIL], "routes": []},
    ]
    estate = {"format": "brokerui.estate/1", "instances": [{"name": f"h{EVIL}", "databases": databases}]}
    result = explain(estate, "--from", f"h{EVIL}/D{EVIL}", "--to", EVIL, *AT)
    assert result.status == 0
    assert result.out.replace("\n", "").isprintable()
    assert [line for line in result.out.splitlines() if line.startswith("Always delivered: nothing")] == []
