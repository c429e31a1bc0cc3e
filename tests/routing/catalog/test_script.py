"""The script that collects: what it may do, and that it gives what the reader reads.

It has met no server here. What can be seen without one: that it is made of the statements it may be made of, that
every column it asks for is one of its view, and that its parts and keys are those of the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from routing.catalog.script import collect_script
from routing.catalog.shapes import DATABASE_PARTS, SERVER_PARTS, SHAPES
from routing.model.catalog_objects import BrokerEndpoint
from routing.model.estate import Database, Instance
from routing.tsql.reading import ScriptGroup, read_scripts
from tests.routing.catalog.server import catalog

SCRIPT = collect_script()
TOKEN = re.compile(r"N?'(?:[^']|'')*'|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|[@#\w]+|\S", re.DOTALL)
TOKENS = [token for token in TOKEN.findall(SCRIPT) if not token.startswith(("--", "/*"))]
CODE = [token for token in TOKENS if "'" not in token]
# What the documentation says that these views have, as far as the script asks.
COLUMNS = {
    "databases": "database_id name service_broker_guid is_broker_enabled is_honor_broker_priority_on state_desc"
    " mirroring_role_desc mirroring_state_desc mirroring_partner_name",
    "endpoints": "endpoint_id name state_desc port ip_address is_message_forwarding_enabled message_forwarding_size"
    " connection_auth certificate_id encryption_algorithm",
    "availability_replicas": "database_id group_id group_name role_desc listener_id dns_name port",
    "routes": "name route_id principal_id remote_service_name broker_instance lifetime address mirror_address",
    "services": "name service_id principal_id service_queue_id",
    "service_contract_usages": "service_id service_contract_id",
    "service_queues": "name object_id schema_id is_ms_shipped max_readers activation_procedure is_activation_enabled"
    " is_receive_enabled is_enqueue_enabled is_retention_enabled is_poison_message_handling_enabled",
    "service_contracts": "name service_contract_id principal_id",
    "service_contract_message_usages": "service_contract_id message_type_id is_sent_by_initiator is_sent_by_target",
    "service_message_types": "name message_type_id principal_id validation validation_desc xml_collection_id",
    "conversation_priorities": "priority_id name service_contract_id local_service_id remote_service_name priority",
    "remote_service_bindings": "name remote_service_binding_id principal_id remote_service_name service_contract_id"
    " remote_principal_id is_anonymous_on",
    "transmission_queue": "from_service_name to_service_name to_broker_instance status messages oldest",
    "conversation_endpoints": "service_name far_service is_initiator state state_desc age_days endpoints",
    "totals": "name table_rows",
    "server": "database_id",
}


class Part(NamedTuple):
    name: str
    in_each_database: bool
    sort_key: str
    source: str


class Column(NamedTuple):
    part: str
    place: int
    kind: str
    name: str
    expression: str


def tuples_of(table: str) -> Iterator[list[str]]:
    """The values of each row that the script puts into one of its tables."""
    at = next(i for i, t in enumerate(TOKENS) if t == "INSERT" and TOKENS[i + 1] == table)
    at = TOKENS.index("VALUES", at) + 1
    while TOKENS[at] == "(":
        end = TOKENS.index(")", at)
        yield [token for token in TOKENS[at + 1 : end] if token != ","]
        at = end + 2


def text(literal: str) -> str:
    return literal.removeprefix("N")[1:-1].replace("''", "'")


PARTS = [Part(text(v[1]), v[2] == "1", text(v[-2]), text(v[-1])) for v in tuples_of("@part")]
COLUMN_ROWS = [Column(text(v[0]), int(v[1]), *map(text, v[2:])) for v in tuples_of("@column")]


def statement(part: Part) -> str:
    """The query that the script builds for a part."""
    own = [column for column in COLUMN_ROWS if column.part == part.name]
    values = ", ".join(
        f"({c.place}, N'{c.kind}', N'{c.name}', CONVERT(nvarchar(max), {c.expression}) COLLATE Latin1_General_BIN2)"
        for c in own
    )
    return (
        f"SELECT @name, @database_id, r.ordinal, v.place, v.kind, v.name, v.content FROM (SELECT TOP (@most) "
        f"ROW_NUMBER() OVER (ORDER BY {part.sort_key}) AS ordinal, * FROM {part.source} AS x ORDER BY {part.sort_key}"
        f") AS r CROSS APPLY (VALUES {values}) AS v (place, kind, name, content)"
    )


def followed(*words: str) -> list[str]:
    """What stands after each of these words."""
    return [CODE[i + 1] for i, token in enumerate(CODE) if token.upper() in words]


def test_it_is_ascii_with_short_lines() -> None:
    assert SCRIPT.isascii()
    assert max(map(len, SCRIPT.splitlines())) <= 120
    assert "\t" not in SCRIPT
    assert "$(" not in SCRIPT  # sqlcmd would look for a variable


def test_brackets_are_balanced() -> None:
    assert CODE.count("(") == CODE.count(")")
    depth = 0
    for word in (token.upper() for token in CODE):
        depth += word in ("BEGIN", "CASE")
        depth -= word == "END"
        assert depth >= 0
    assert depth == 0


def test_it_writes_only_to_its_own_tables() -> None:
    assert set(followed("INSERT")) == {"@part", "@column", "@cell", "@number"}
    assert followed("UPDATE") == ["@cell"]
    assert set(followed("EXECUTE", "EXEC")) == {"@run"}
    assert re.findall(r"@run = .*", SCRIPT) == ["@run = QUOTENAME(@database) + N'.sys.sp_executesql';"]


CHANGES = re.compile(
    r"(?<![\w@])(DELETE|MERGE|TRUNCATE|DROP|ALTER|CREATE|GRANT|DENY|REVOKE|BACKUP|RESTORE|KILL|SHUTDOWN|RECONFIGURE|DBCC"
    r"|SEND|RECEIVE|COMMIT|ROLLBACK|TRAN|TRANSACTION(?! ISOLATION)|USE|XP_\w+|OPENROWSET|OPENQUERY|OPENDATASOURCE|BULK"
    r"|WAITFOR|MESSAGE_BODY)(?!\w)"
)
NEWER = re.compile(
    r"STRING_AGG|JSON_|FOR\s+JSON|OPENJSON|ISJSON|(?<!R)TRIM\s*\(|CONCAT_WS|STRING_SPLIT|STRING_ESCAPE|TRANSLATE\s*\("
    r"|GREATEST|LEAST\s*\(|IF\s+EXISTS|CREATE\s+OR\s+ALTER|AT\s+TIME\s+ZONE|COMPRESS|GENERATE_SERIES|DATETRUNC|\|\|"
)
COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def test_it_has_no_word_that_changes_anything() -> None:
    assert CHANGES.findall(COMMENT.sub("", SCRIPT).upper()) == []


def test_it_asks_for_nothing_newer_than_2012() -> None:
    assert NEWER.findall(COMMENT.sub("", SCRIPT).upper()) == []


def test_our_own_reader_of_scripts_finds_nothing_in_it_that_makes_an_object() -> None:
    group = ScriptGroup("server", None, [("collect.sql", SCRIPT)])
    estate, findings = read_scripts([group], at=datetime(2026, 6, 1, tzinfo=UTC))
    assert [finding.code for finding in findings] == ["no-statement"]
    databases = estate.instances["server"].databases.values()
    assert not any(database.user_services or database.queues for database in databases)


def test_into_is_only_that_of_cursors() -> None:
    assert len(followed("INTO")) == len(followed("FETCH"))


def test_it_is_harmless() -> None:
    for line in (
        "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;",
        "SET LOCK_TIMEOUT 5000;",
        "SET DEADLOCK_PRIORITY LOW;",
        "SET NOCOUNT ON;",
    ):
        assert line in SCRIPT
    first = SCRIPT.index("SELECT")
    assert SCRIPT.index("SET DEADLOCK_PRIORITY LOW") < SCRIPT.index("DECLARE") < first
    # The methods of xml need it, and sqlcmd has it off; it must be on before the batch that uses them is read.
    assert SCRIPT.index("SET QUOTED_IDENTIFIER") < SCRIPT.index("\nGO\n") < first


def test_what_may_be_long_is_summed_and_bounded() -> None:
    for name, most in (("transmission_queue", "@most_read"), ("conversation_endpoints", "@most_ends")):
        (part,) = (part for part in PARTS if part.name == name)
        assert f"TOP ({most})" in part.source
        assert "GROUP BY" in part.source
        assert "COUNT_BIG(*)" in part.source


def test_its_parts_are_those_of_the_reader() -> None:
    assert [part.name for part in PARTS if not part.in_each_database] == list(SERVER_PARTS)
    assert [part.name for part in PARTS if part.in_each_database] == list(DATABASE_PARTS)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_its_keys_are_those_of_the_reader(part: Part) -> None:
    own = [column for column in COLUMN_ROWS if column.part == part.name]
    assert [column.place for column in own] == list(range(1, len(own) + 1))
    assert {column.name for column in own} == set(SHAPES[part.name].columns) - {"schema_id"}
    assert {column.kind for column in own} <= {"s", "n"}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_column_it_asks_for_is_there(part: Part) -> None:
    requested = {name for c in COLUMN_ROWS if c.part == part.name for name in re.findall(r"\br\.(\w+)", c.expression)}
    assert requested <= set(COLUMNS[part.name].split())
    assert set(re.findall(r"\w+", part.sort_key)) - {"DESC"} <= set(COLUMNS[part.name].split())


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_what_it_runs_is_one_query(part: Part) -> None:
    query = statement(part)
    words = [token.upper() for token in TOKEN.findall(query) if "'" not in token]
    assert words[0] == "SELECT"
    assert words.count("(") == words.count(")")
    assert query.count("'") % 2 == 0
    assert not {";", "INTO", "EXEC", "EXECUTE", "INSERT", "UPDATE", "DELETE", "GO"} & set(words)
    assert max(len(c.expression) for c in COLUMN_ROWS) <= 400
    assert max(len(part.source), len(part.sort_key)) <= 1000


def test_the_server_of_these_tests_answers_like_it() -> None:
    instance = Instance("s", {"Db": Database("Db")}, endpoint=BrokerEndpoint(4022))
    document = catalog(instance)
    assert list(document)[2:] == [part.name for part in PARTS]
    for part in PARTS:
        for row in document[part.name] if part.name != "server" else ():
            keys = [c.name for c in COLUMN_ROWS if c.part == part.name]
            assert list(row) == (["database_id"] if part.in_each_database else []) + keys


def test_letters_that_are_left_alone_are_plain() -> None:
    (pattern,) = set(re.findall(r"\[\^?(#[^\]]*)\]", SCRIPT))
    assert pattern == "#$%(-;=?-Z_a-z"
    assert SCRIPT.count(pattern) == 2
