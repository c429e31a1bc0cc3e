"""Services that every database has, though no catalog and no script holds them."""

from __future__ import annotations

import pytest

from tests.brokerui.kinds.conftest import Desk

NOTIFICATIONS = "http://schemas.microsoft.com/SQL/Notifications"
EVENTS, QUERIES = f"{NOTIFICATIONS}/EventNotificationService", f"{NOTIFICATIONS}/QueryNotificationService"
ENDPOINT = "CREATE ENDPOINT B STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ();\n"
HUB = f"""{ENDPOINT}CREATE DATABASE Watch;
GO
USE Watch;
GO
CREATE QUEUE Q;
CREATE SERVICE Collect ON QUEUE Q ([{NOTIFICATIONS}/PostEventNotification]);
"""
BACK = f"CREATE ROUTE Back WITH SERVICE_NAME = '{EVENTS}', ADDRESS = 'TCP://leaf:4022';"
LEAF = f"""{ENDPOINT}GO
USE msdb;
GO
CREATE ROUTE ToHub WITH SERVICE_NAME = 'Collect', ADDRESS = 'TCP://hub:4022';
CREATE EVENT NOTIFICATION Logins ON SERVER FOR AUDIT_LOGIN TO SERVICE 'Collect', 'current database';
"""


def test_sql_dependency_begins_in_the_query_notification_service(desk: Desk) -> None:
    desk.scripts(
        shop=f"""CREATE DATABASE Shop;
        GO
        USE Shop;
        GO
        CREATE QUEUE Q;
        CREATE SERVICE [SqlQueryNotificationService-7d0e] ON QUEUE Q ([{NOTIFICATIONS}/PostQueryNotification]);
        """
    )
    assert desk.codes() == []
    answer = desk.explain("shop/Shop", "SqlQueryNotificationService-7d0e", "--service", QUERIES)
    assert answer.startswith("Always delivered: Shop on shop\n  Acknowledgements and replies find their way back.")


@pytest.mark.parametrize("service", [EVENTS.lower(), EVENTS + "/", "EventNotificationService"])
def test_a_way_back_for_a_name_that_only_looks_right_is_none(desk: Desk, service: str) -> None:
    desk.scripts(hub=HUB + BACK.replace(EVENTS, service), leaf=LEAF)
    assert "error no-return-route" in desk.codes()


def test_notifications_of_a_database_begin_and_end_there(desk: Desk) -> None:
    desk.scripts(
        hub=HUB + BACK, leaf=LEAF.replace("USE msdb", "CREATE DATABASE App\nGO\nUSE App").replace("SERVER", "DATABASE")
    )
    assert desk.codes() == []
    assert "Acknowledgements and replies find their way back." in desk.explain(
        "leaf/App", "Collect", "--service", EVENTS
    )


def test_a_second_server_needs_a_way_back_with_an_identifier(desk: Desk) -> None:
    """Every server has the service; the route back to the first one leads to the first one."""
    desk.scripts(hub=HUB + BACK, leaf=LEAF, other=LEAF)
    (found,) = desk.lint()
    assert (found["code"], found["severity"]) == ("no-return-route", "error")
    assert "notifications of msdb on other" in found["reason"]
    assert "needs the identifier of msdb. To know it, import sys.databases of other." in found["reason"]
