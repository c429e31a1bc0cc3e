"""The services that SQL Server creates in every database are in every answer, though no script makes them."""

from __future__ import annotations

import pytest

from routing.common.finding import Finding
from routing.common.names import EVENT_NOTIFICATION_SERVICE, QUERY_NOTIFICATION_SERVICE, SYSTEM_SERVICES
from routing.lint.registry import lint
from routing.model.catalog_objects import Queue, Service
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate, Instance
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.explanation import Explanation, explain
from routing.tsql import ScriptGroup, read_scripts
from routing.tsql.export import export_sql
from tests.routing.lint.estates import AT

ENDPOINT = (
    "CREATE ENDPOINT E STATE=STARTED AS TCP (LISTENER_PORT=4022) FOR SERVICE_BROKER (AUTHENTICATION=WINDOWS)\nGO\n"
)
IDENTIFIED = "BROKER_INSTANCE = 'aaaaaaaa-0000-4000-8000-000000000001', ADDRESS = 'TCP://leaf:4022'"
POST_EVENTS = "[http://schemas.microsoft.com/SQL/Notifications/PostEventNotification]"
POST_QUERIES = "[http://schemas.microsoft.com/SQL/Notifications/PostQueryNotification]"
HUB = (
    f"CREATE DATABASE Watch\nGO\nUSE Watch\nGO\nCREATE QUEUE q\nCREATE SERVICE Collect ON QUEUE q ({POST_EVENTS})\nGO\n"
)
LEAF = f"USE msdb\nGO\nCREATE ROUTE ToHub WITH SERVICE_NAME = 'Collect', ADDRESS = 'TCP://hub:4022'\nGO\n{ENDPOINT}"


def estate(**scripts: str) -> Estate:
    groups = [ScriptGroup(name, None, [(f"{name}.sql", text)]) for name, text in scripts.items()]
    return read_scripts(groups, at=AT)[0]


def hub(*routes: str) -> str:
    made = "".join(f"CREATE ROUTE {route}\n" for route in routes)
    return f"{HUB}{made}GO\n{ENDPOINT}"


def findings(**scripts: str) -> list[Finding]:
    return list(lint(estate(**scripts), AT))


def explained(made: Estate, instance: str, database: str, service: str) -> Explanation:
    return explain(made, Conversation(instance, database, service), AT)


def test_every_database_of_a_script_has_them_and_no_export_names_them() -> None:
    made = estate(hub=hub(), leaf=LEAF)
    for instance in made.instances.values():
        for database in instance.databases.values():
            assert tuple(service.name for service in database.system_services) == SYSTEM_SERVICES
    exported = export_sql(made, at=AT)
    assert not any(name in exported for name in SYSTEM_SERVICES)
    assert read_scripts([ScriptGroup("any", None, [("e", exported)])], at=AT)[0] == made


def test_a_database_without_them_stays_so_in_an_export() -> None:
    made = estate(hub=hub())
    watch = made.instances["hub"].databases["Watch"]
    bare = made.with_instance(made.instances["hub"].without_database("Watch"))
    exported = export_sql(bare, since=made, at=AT)
    assert read_scripts([ScriptGroup("any", None, [("e", exported)])], into=made, at=AT)[0] == bare
    assert watch.user_services[0].name == "Collect"


@pytest.mark.parametrize("held", [SYSTEM_SERVICES[:1], SYSTEM_SERVICES[1:], SYSTEM_SERVICES])
@pytest.mark.parametrize("queue", [None, "dbo.Q"])
def test_no_export_creates_one_however_a_document_has_it(held: tuple[str, ...], queue: str | None) -> None:
    services = tuple(Service(name, queue, ("DEFAULT",) if queue else ()) for name in held)
    made = Estate({"h": Instance("h", {"D": Database("D", services=services, queues=(Queue("dbo.Q"),))})})
    exported = export_sql(made, at=AT)
    for verb in ("CREATE", "ALTER", "DROP"):
        assert f"{verb} SERVICE" not in exported


@pytest.mark.parametrize("service", SYSTEM_SERVICES)
@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("CREATE SERVICE {} ON QUEUE q", "already-exists"),
        ("ALTER SERVICE {} ON QUEUE q", "refused"),
        ("DROP SERVICE {}", "refused"),
    ],
)
def test_statements_about_them_change_nothing(service: str, statement: str, code: str) -> None:
    text = f"{HUB}{statement.format(f'[{service}]')}\nGO\n"
    made, findings = read_scripts([ScriptGroup("hub", None, [("hub.sql", text)])], at=AT)
    assert made == estate(hub=HUB)
    assert [(one.code, one.line) for one in findings] == [(code, 8)]


@pytest.mark.parametrize("routes", [(), ("R WITH SERVICE_NAME = 'Elsewhere', ADDRESS = 'TCP://leaf:4022'",)])
def test_event_notifications_of_a_server_want_a_way_back(routes: tuple[str, ...]) -> None:
    (found,) = findings(hub=hub(*routes), leaf=LEAF)
    assert (found.code, found.severity, found.instance, found.database) == ("no-return-route", "error", "hub", "Watch")
    assert f"notifications of msdb on leaf, but acknowledgements to {EVENT_NOTIFICATION_SERVICE}" in str(found.reason)
    (back,) = explained(estate(hub=hub(*routes), leaf=LEAF), "leaf", "msdb", "Collect").returns
    assert (back.journey.conversation.to_service, back.arrives) == (EVENT_NOTIFICATION_SERVICE, False)


@pytest.mark.parametrize(
    "route",
    [
        "BackToAll WITH ADDRESS = 'TCP://leaf:4022'",
        f"Back WITH SERVICE_NAME = '{EVENT_NOTIFICATION_SERVICE}', ADDRESS = 'TCP://leaf:4022'",
        f"Back WITH SERVICE_NAME = '{EVENT_NOTIFICATION_SERVICE}', {IDENTIFIED}",
    ],
)
def test_with_a_way_back_nothing_is_found(route: str) -> None:
    assert findings(hub=hub(route), leaf=LEAF) == []
    made = estate(hub=hub(route), leaf=LEAF)
    (back,) = explained(made, "leaf", "msdb", "Collect").returns
    assert back.home == Outcome(DELIVERED, "leaf", "msdb")
    assert back.arrives or back.needed == "aaaaaaaa-0000-4000-8000-000000000001"


def test_a_leaf_alone_is_no_forwarder() -> None:
    assert [found.code for found in findings(leaf=LEAF)] == ["unknown-address"]


def test_a_forwarder_of_a_service_that_takes_no_notifications_is_one() -> None:
    other = hub().replace(POST_EVENTS, "[DEFAULT]")
    assert [found.code for found in findings(hub=other, leaf=LEAF)] == ["forwarding-off"]


def test_query_notifications_begin_in_the_database_of_the_query() -> None:
    shop = f"CREATE DATABASE Shop\nGO\nUSE Shop\nCREATE QUEUE q\nCREATE SERVICE Cache ON QUEUE q ({POST_QUERIES})\nGO\n"
    made = estate(shop=shop)
    (back,) = explained(made, "shop", "Shop", "Cache").returns
    assert (back.journey.conversation.to_service, back.arrives) == (QUERY_NOTIFICATION_SERVICE, True)
    assert list(lint(made, AT)) == []


@pytest.mark.parametrize("service", SYSTEM_SERVICES)
def test_a_local_route_for_one_of_them_is_sound(service: str) -> None:
    shop = (
        "CREATE DATABASE Shop\nGO\nUSE Shop\nGO\nCREATE QUEUE q\nCREATE SERVICE Till ON QUEUE q\nGO\n"
        f"CREATE ROUTE [{service}] WITH SERVICE_NAME = '{service}', ADDRESS = 'LOCAL'\nGO\n"
    )
    made = estate(shop=shop)
    assert list(lint(made, AT)) == []
    assert explained(made, "shop", "Shop", service).forward.outcomes == (Outcome(DELIVERED, "shop", "Shop"),)


def test_a_name_that_only_looks_like_one_of_them_is_found() -> None:
    wrong = EVENT_NOTIFICATION_SERVICE.replace("http:", "https:")
    route = f"Back WITH SERVICE_NAME = '{wrong}', ADDRESS = 'TCP://leaf:4022'"
    assert "similar-service-name" in {found.code for found in findings(hub=hub(route), leaf=LEAF)}
