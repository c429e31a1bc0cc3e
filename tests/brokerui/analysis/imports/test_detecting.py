"""The kind of a file, and the server to which it belongs."""

from __future__ import annotations

import json

import pytest

from brokerui.analysis.imports.detecting import Guess, guess
from brokerui.analysis.imports.sources import Kind
from routing.documents.estate_document import read_estate
from tests.brokerui.site import document
from tests.extent import ON_ONE_DATABASE
from tests.routing.catalog import savers
from tests.routing.catalog.server import catalog, dumps, rows_of

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE]

GRID = "name\tremote_service_name\taddress\r\nToParts\tStock\ttcp://host2:4022\r\n"
HOST = next(iter(read_estate(document("host1")).instances.values()))


def collected() -> bytes:
    return savers.sqlcmd(rows_of(dumps(catalog(HOST))))


@pytest.mark.parametrize(
    ("name", "content", "guessed"),
    [
        ("estate.json", document("a"), Guess(Kind.DOCUMENT)),
        ("whatever.txt", document("a"), Guess(Kind.DOCUMENT)),
        ("broken.json", b"{", Guess(Kind.DOCUMENT)),
        ("SHOP.sql", b"CREATE DATABASE D", Guess(Kind.SCRIPT, "SHOP")),
        ("C:\\scripts\\shop.example.sql", b"USE D", Guess(Kind.SCRIPT, "shop.example")),
        ("deploy.sql", b"PRINT 1\n:CONNECT depot,1433\nUSE D", Guess(Kind.SCRIPT, "depot")),
        ("export.sql", b'-- brokerui: {"instance": {"name": "host\xc3\xa9"}}\n', Guess(Kind.SCRIPT, "host\u00e9")),
        ("wide.sql", "CREATE DATABASE D".encode("utf-16"), Guess(Kind.SCRIPT, "wide")),
        ("host1.Orders.tsv", GRID.encode(), Guess(Kind.CATALOG, "host1", "Orders")),
        ("host1.Orders.routes.tsv", GRID.encode(), Guess(Kind.CATALOG, "host1", "Orders")),
        ("host1.tsv", GRID.encode("utf-16"), Guess(Kind.CATALOG, "host1")),
        (
            "host1.Orders.txt",
            b"AutoCreatedLocal\tNULL\tLOCAL\nA\tB\ttcp://b:1\n",
            Guess(Kind.CATALOG, "host1", "Orders"),
        ),
        ("host1.Orders.txt", b"A\tB\ttcp://b:1\nC\tD\ttcp://b:1\n", Guess(Kind.CATALOG, "host1", "Orders")),
        ("noise.sql", b"\x00\x01\xff\xfe" * 99, Guess(Kind.SCRIPT, "noise")),
    ],
)
def test_a_file_is_taken_for_what_it_is(name: str, content: bytes, guessed: Guess) -> None:
    assert guess(name, content) == guessed


def test_a_result_of_collect_sql_names_its_server_where_it_does() -> None:
    assert guess("saved.txt", collected()).kind is Kind.CATALOG
    whole = {**catalog(HOST), "server": [{"server_name": "REAL\\ONE"}]}
    named = savers.sqlcmd(rows_of(json.dumps(whole, separators=(",", ":"))))
    assert guess("saved.txt", named) == Guess(Kind.CATALOG, "REAL\\ONE")


def test_a_large_file_is_looked_at_in_its_beginning_only() -> None:
    assert guess("big.sql", b"x" * (64 << 20)) == Guess(Kind.SCRIPT, "big")
