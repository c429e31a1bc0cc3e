"""Estates for T-SQL: those of the shared strategies, and small ones full of names that need care."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.catalog_objects import (
    Activation,
    BrokerEndpoint,
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable
from routing.tsql.draft import AUTO_CREATED_LOCAL
from tests.strategies import estates

AT = datetime(2026, 6, 1, tzinfo=UTC)

# Few, so that they meet; each is a trap for code that writes or reads T-SQL.
NAMES = (
    "R", "r", "Orders", "a]b", "[x]", "it's", 'say "x"', "line\nend", "cr\rhere", "\nGO\n", "-- no comment", "/* open",
    "$(db)", "<x, type, y>", "ünïcödé 💥", " blank ", "a.b", ";", "CREATE ROUTE x", "\u2028", "DEFAULT", "ß", "SS",
)  # fmt: skip
LONG = "n" * 200
ADDRESSES = (
    "LOCAL", " local ", "TRANSPORT", "tcp://h2:4022", "TCP://H2/", "tcp://h3.example: 4022/", "tcp://[fe80::1]:5",
)  # fmt: skip
GUIDS = ("6f3f0d5e-aaaa-4000-8000-000000000001", "6f3f0d5e-aaaa-4000-8000-000000000002")

names = st.sampled_from(NAMES)
service_names = st.sampled_from((*NAMES, LONG))
queue_names = st.one_of(names, st.tuples(names, names).map(".".join), st.sampled_from(("dbo.Q", "dbo.q", "Q")))
guids = st.none() | st.sampled_from(GUIDS)
lifetimes = st.none() | st.sampled_from(
    (AT, AT - timedelta(days=1), AT + timedelta(seconds=90.5), AT + timedelta(days=1), AT + timedelta(days=40_000))
)


@st.composite
def routes(draw: st.DrawFn) -> Route:
    address = parse_address(draw(st.sampled_from(ADDRESSES)))
    mirrored = address.is_network and draw(st.integers(0, 3)) == 0
    return Route(
        draw(names),
        draw(st.none() | service_names),
        draw(guids),
        draw(lifetimes),
        address,
        parse_address(draw(st.sampled_from(("tcp://h2", "tcp://h9:1")))) if mirrored else None,
    )


procedures = st.sampled_from(("dbo.p", "p", "a.b.c", "a.b.c.d", "a..b", "[x].y"))
activations = st.builds(Activation, procedures, st.integers(0, 5), st.booleans())
queues = st.builds(Queue, queue_names, st.booleans(), st.booleans(), st.booleans(), st.none() | activations)
message_types = st.builds(
    MessageType,
    service_names,
    st.sampled_from(("NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML")),
    st.none() | st.sampled_from(("dbo.x", "x", "a.b.c")),
)
messages = st.builds(ContractMessage, service_names, st.sampled_from(("INITIATOR", "TARGET", "ANY")))
contracts = st.builds(Contract, service_names, st.lists(messages, max_size=2).map(tuple))
services = st.builds(Service, service_names, st.none() | queue_names, st.lists(service_names, max_size=2).map(tuple))
priorities = st.builds(
    Priority, names, st.none() | service_names, st.none() | service_names, st.none() | names, st.integers(1, 10)
)
bindings = st.builds(RemoteServiceBinding, names, service_names, st.none() | names, st.booleans())
endpoints = st.none() | st.builds(
    BrokerEndpoint,
    st.sampled_from((4022, 5022, 1433, 80, 40_000)),
    st.sampled_from(("STARTED", "STOPPED", "DISABLED")),
    st.sampled_from(("DISABLED", "SUPPORTED", "REQUIRED")),
    st.sampled_from(
        (
            "WINDOWS",
            "WINDOWS NTLM",
            "CERTIFICATE My Cert",
            "WINDOWS NEGOTIATE CERTIFICATE a]b",
            "CERTIFICATE c WINDOWS",
            "CERTIFICATE CERTIFICATE x",
            "odd",
            "WINDOWS\nGO",
        )
    ),
    st.sampled_from((10, 0, 1)),
)


def unique(members: st.SearchStrategy, most: int = 4) -> st.SearchStrategy:
    return st.lists(members, max_size=most, unique_by=lambda member: member.name).map(tuple)


@st.composite
def databases(draw: st.DrawFn, name: str, number: int) -> Database:
    table = draw(unique(routes()))
    if draw(st.booleans()):
        table = (AUTO_CREATED_LOCAL, *table)
    return Database(
        name,
        draw(guids),
        # Two enabled brokers with one identifier are no estate.
        number == 0 and draw(st.booleans()),
        draw(st.sampled_from((None, "PRINCIPAL", "MIRROR"))),
        *(draw(unique(kind, 3)) for kind in (services, queues, contracts, message_types, priorities, bindings)),
        table=RouteTable(table),
    )


@st.composite
def rich_instances(draw: st.DrawFn, name: str, number: int) -> Instance:
    chosen = draw(st.lists(st.sampled_from((*NAMES, "msdb", "master", "MSDB", "model")), max_size=3, unique=True))
    addresses = draw(
        st.sampled_from(
            ((), (f"tcp://{name}:4022",), (f"TCP://alias{number}/",), (f"tcp://x{number}", f"tcp://y{number}"))
        )
    )
    try:
        parsed = tuple(map(parse_address, addresses))
    except ValueError:
        parsed = ()
    return Instance(
        name,
        {one: draw(databases(one, index)) for index, one in enumerate(chosen)},
        parsed,
        draw(st.booleans()),
        draw(endpoints),
    )


@st.composite
def rich_estates(draw: st.DrawFn) -> Estate:
    chosen = draw(st.lists(st.sampled_from(("host1", "SRV\\A", "srv\\b", *NAMES[:6])), max_size=3, unique=True))
    found: dict[str, Instance] = {}
    taken: set[str] = set()
    for number, name in enumerate(chosen):
        instance = draw(rich_instances(name, number))
        if taken & {address.key for address in instance.addresses}:
            continue
        taken |= {address.key for address in instance.addresses}
        found[name] = instance
    return Estate(found, draw(st.sampled_from((10, 0, 3))))


shared_estates = estates().map(lambda document: read_estate(json.dumps(document)))
all_estates = st.one_of(shared_estates, rich_estates())


# ---------------------------------------------------------------- estates as a product would hold them


@st.composite
def tidy_databases(draw: st.DrawFn) -> Database:
    """Draw a database whose references all resolve, so that SQL Server would accept its statements."""
    types = draw(unique(st.builds(MessageType, st.sampled_from("mn"), st.sampled_from(("NONE", "EMPTY"))), 2))
    kinds = [one.name for one in types] or ["DEFAULT"]
    sent = st.sampled_from(kinds).map(lambda name: (ContractMessage(name, "ANY"),))
    contracts = draw(unique(st.builds(Contract, st.sampled_from("cd"), sent), 2))
    agreed = st.lists(st.sampled_from([*(one.name for one in contracts), "DEFAULT"]), max_size=2, unique=True)
    queues = draw(
        unique(
            st.builds(
                Queue,
                st.sampled_from(("dbo.q", "x.q")),
                st.booleans(),
                st.booleans(),
                st.booleans(),
                st.none() | st.builds(Activation, st.sampled_from(("dbo.p", "p")), st.integers(1, 2), st.booleans()),
            ),
            2,
        )
    )
    homes = st.sampled_from([one.name for one in queues] or ["dbo.q"])
    services = draw(unique(st.builds(Service, st.sampled_from("st"), homes, agreed.map(tuple)), 2)) if queues else ()
    levels = st.builds(
        Priority,
        st.just("p"),
        st.sampled_from((None, *(one.name for one in contracts))),
        st.sampled_from((None, *(one.name for one in services))),
        st.sampled_from((None, "far")),
        st.integers(4, 6),
    )
    binding = st.builds(
        RemoteServiceBinding, st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from("uv"), st.booleans()
    )
    return Database(
        "A",
        broker_enabled=draw(st.booleans()),
        services=services,
        queues=queues,
        contracts=contracts,
        message_types=types,
        priorities=draw(unique(levels, 1)),
        remote_service_bindings=draw(st.lists(binding, max_size=1).map(tuple)),
        table=RouteTable(draw(unique(tidy_routes, 3))),
    )


tidy_routes = st.builds(
    Route,
    st.sampled_from("QRS"),
    st.sampled_from("xy"),
    guids,
    st.sampled_from((None, AT + timedelta(days=1), AT + timedelta(days=2))),
    st.sampled_from(("LOCAL", "tcp://a", "tcp://b")).map(parse_address),
)
tidy_endpoints = st.none() | st.builds(
    BrokerEndpoint,
    st.sampled_from((4022, 5022)),
    st.sampled_from(("STARTED", "STOPPED")),
    st.sampled_from(("SUPPORTED",)),
)


@st.composite
def tidy_estates(draw: st.DrawFn) -> Estate:
    endpoint = draw(tidy_endpoints)
    address = parse_address(f"tcp://host1:{endpoint.port if endpoint else 4022}")
    forwarding = endpoint is not None and draw(st.booleans())
    return Estate({"host1": Instance("host1", {"A": draw(tidy_databases())}, (address,), forwarding, endpoint)})
