"""T-SQL for transmission statuses: on the right server, with the names that are known, and only where it is right."""

from __future__ import annotations

from typing import Any

import pytest

from routing.dialog.status_catalogue import CATALOGUE
from routing.dialog.status_catalogue_network import SYSTEM_ERRORS
from routing.lint.obstacles import obstacles
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.remedies.applying import applied, with_msdb
from routing.remedies.statuses import StatusStatement, status_statement
from routing.rules.explanation import explain
from routing.tsql.lexer import SqlToken, next_token
from tests.routing.lint.estates import AT, db, estate, route, server

NOTHING_TO_RUN = {
    9750, 9793, 9795, 9796, 9770, 9797, 9792, 9788, 9790,  # routing: the engine finds what mends it
    9771, 9780, 9781, 9794, 954, 9749,  # it passes, or the server is to be started otherwise
    9779, 9784,  # the conversation is over
    28018, 28012, 28021, 9753, 28005, 916, 9002, 1105, 9736, 9782, 9756,  # many causes, none known here
    9783, 9785, 9755, 9759, 9758,  # names, addresses and firewalls
    10053, 10054, 11001, 11002, 11003, 11004, 10049, 10050, 10051, 10064, 10065, 1231,
}  # fmt: skip


def two_servers(queue: dict[str, Any] | None = None, **more: Any) -> Estate:
    service = {"name": "Ship", "queue": "dbo.Q", "contracts": ["c"]}
    sender = db("D", route("R", "Ship", "b"), services=({"name": "Own", "queue": "dbo.Own"},), broker=1, **more)
    target = db("E", route("Back", "Own", "a"), services=(service,), queues=[queue] if queue else [], broker=2)
    return estate(server("a", sender), server("b", target))


def tokens(sql: str) -> list[SqlToken]:
    """Raises `Unclosed` for a string, comment or name that is not closed."""
    found, position = [next_token(sql, 0)], 0
    while found[-1].end > position:
        position = found[-1].end
        found.append(next_token(sql, position))
    return found


def statement(number: int, text: str = "", where: Estate | None = None, **more: Any) -> StatusStatement | None:
    where = where or two_servers()
    conversation = Conversation("a", "D", "Ship", from_service="Own", **more)
    return status_statement(explain(where, conversation, AT), where, number, text)


@pytest.mark.parametrize("number", sorted({kind.number for kind in (*CATALOGUE, *SYSTEM_ERRORS)}))
def test_every_status_of_the_catalogue_has_a_statement_or_a_reason_for_none(number: int) -> None:
    found = statement(number)
    assert (found is None) == (number in NOTHING_TO_RUN)
    if found is not None:
        assert found.instance in {"a", "b"}
        assert tokens(found.sql), "strings, comments and brackets are closed"


@pytest.mark.parametrize(
    ("number", "text", "instance", "words"),
    [
        (9727, "", "a", "USE [D];\n|BINDING [To Ship] TO SERVICE N'Ship' WITH USER = [Owner of Ship]"),
        (9731, "", "a", "USE [D];\n|WHERE name = N'Own'|[Dialogs of Own until 2035]"),
        (28025, "", "a", "USE [D];\n|EXPIRY_DATE = N''20350101''"),
        (28054, "… the master key in the database 'Sales'. …", "a", "USE [Sales];\n|MASTER KEY"),
        (28050, "", "a", "USE [D];\n|ADD ENCRYPTION BY SERVICE MASTER KEY"),
        (28034, "The login 'DOM\\SHOP$' does not have CONNECT …", "b", "[DOM\\SHOP$]|GRANT CONNECT"),
        (28045, "", "b", "CREATE CERTIFICATE [Broker of a] AUTHORIZATION [Broker of a]"),
        (28035, "… not valid: Certificate expired. State 89.", "b", "SYSUTCDATETIME()|START_DATE = N'2029|EXPIRY_DATE"),
        (28036, "", "a", "AUTHENTICATION = CERTIFICATE [Service Broker endpoint until 2035]"),
        (9748, "", "a", "CREATE ENDPOINT"),
        (10061, "", "b", "sys.tcp_endpoints"),
        (15517, "", "b", "ALTER AUTHORIZATION ON DATABASE::[E] TO [sa];"),
        (11219, "", "b", "ALTER QUEUE [dbo].[Q] WITH STATUS = ON;"),
        (9618, "", "a", "ALTER QUEUE [dbo].[Own] WITH STATUS = ON;"),
    ],
)  # fmt: skip
def test_it_names_what_is_known(number: int, text: str, instance: str, words: str) -> None:
    found = statement(number, text)
    assert found is not None
    assert found.instance == instance
    assert [word for word in words.split("|") if word not in found.sql] == []


def test_a_binding_that_is_there_is_not_made_again() -> None:
    bindings = [{"name": "B", "remote_service_name": "Ship", "user": "Owner"}]
    assert statement(9727, where=two_servers(remote_service_bindings=bindings)) is None


def test_without_a_known_target_nothing_is_run_there() -> None:
    lost = estate(server("a", db("D", route("R", "Ship", "tcp://nobody:4022"), services=("Own",))))
    for number in (11219, 15517, 28013, 28034, 10061):
        assert statement(number, where=lost) is None


def test_names_are_quoted() -> None:
    where = estate(server("a", db("D]", services=("Own'",))))
    conversation = Conversation("a", "D]", "Sh'ip]", from_service="Own'")
    for number in (9727, 9731, 9728):
        found = status_statement(explain(where, conversation, AT), where, number, "")
        assert found is not None
        assert "USE [D]]];" in found.sql
        assert "''" in found.sql
        assert tokens(found.sql)


def test_a_queue_that_is_off_is_on_with_the_statement() -> None:
    where = two_servers({"name": "dbo.Q", "enabled": False})
    found = statement(9617, where=where)
    assert found is not None
    after = applied(with_msdb(where, found.instance), found.instance, found.sql, AT)
    assert after is not None
    assert obstacles(explain(after, Conversation("a", "D", "Ship"), AT), after) == ()
