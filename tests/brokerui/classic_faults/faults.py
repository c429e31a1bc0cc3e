"""The classic faults of Service Broker, as the scripts of two or three servers that have one of them each.

The servers are sound but for the fault: shop begins conversations in Orders, depot answers in Stock, hub forwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ENDPOINT = """
USE master;
GO
CREATE ENDPOINT BrokerEndpoint STATE = STARTED AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS);
GO
"""
CONTRACT = """
CREATE MESSAGE TYPE [//shop/Request] VALIDATION = WELL_FORMED_XML;
CREATE MESSAGE TYPE [//shop/Answer] VALIDATION = WELL_FORMED_XML;
CREATE CONTRACT [//shop/Reserve] ([//shop/Request] SENT BY INITIATOR, [//shop/Answer] SENT BY TARGET);
"""
SHOP = f"""{ENDPOINT}
CREATE DATABASE Orders;
GO
USE Orders;
GO
{CONTRACT}
CREATE QUEUE dbo.OrdersQueue WITH STATUS = ON;
CREATE SERVICE [//shop/Orders] ON QUEUE dbo.OrdersQueue;
CREATE ROUTE ToStock WITH SERVICE_NAME = N'//depot/Stock', ADDRESS = N'TCP://depot:4022';
GO
"""
DEPOT = f"""{ENDPOINT}
CREATE DATABASE Stock;
GO
USE Stock;
GO
{CONTRACT}
CREATE QUEUE dbo.StockQueue WITH STATUS = ON;
CREATE SERVICE [//depot/Stock] ON QUEUE dbo.StockQueue ([//shop/Reserve]);
CREATE ROUTE BackToOrders WITH SERVICE_NAME = N'//shop/Orders', ADDRESS = N'TCP://shop:4022';
GO
"""
FORWARDS = ENDPOINT.replace("AUTHENTICATION = WINDOWS", "AUTHENTICATION = WINDOWS, MESSAGE_FORWARDING = ENABLED")
HUB_ROUTES = """
USE msdb;
GO
CREATE ROUTE ToStock WITH SERVICE_NAME = N'//depot/Stock', ADDRESS = N'TCP://depot:4022';
CREATE ROUTE ToOrders WITH SERVICE_NAME = N'//shop/Orders', ADDRESS = N'TCP://shop:4022';
GO
"""
BACK = "CREATE ROUTE BackToOrders WITH SERVICE_NAME = N'//shop/Orders', ADDRESS = N'TCP://shop:4022';\n"
NO_READERS = "ACTIVATION (STATUS = ON, PROCEDURE_NAME = dbo.Work, MAX_QUEUE_READERS = 0, EXECUTE AS SELF)"
Scripts = Mapping[str, str]
Finding = tuple[str, str, str]
"""Severity, code, and the name of the object."""


@dataclass(frozen=True)
class ClassicFault:
    """A fault: its scripts, and the findings that lint has to give for them."""

    name: str
    scripts: Scripts
    findings: frozenset[Finding]
    """All that lint finds."""
    answer: str
    """The first line of the explanation."""
    cause: str
    """What the explanation says besides, in one line."""
    remedies: tuple[Finding, ...] = ()
    """Findings whose T-SQL, run on their instances, mends it; empty: no statement is offered."""
    service: str = "//depot/Stock"


def servers(shop: tuple[str, str] = ("", ""), depot: tuple[str, str] = ("", ""), **more: str) -> dict[str, str]:
    """The sound servers with one text changed each; `more` are further servers."""
    changed = {"shop": _changed(SHOP, *shop), "depot": _changed(DEPOT, *depot)}
    return changed | more


def forwarded(hub: str, **more: str) -> dict[str, str]:
    """The sound servers, which reach each other over hub alone."""
    return servers(("TCP://depot:4022", "TCP://hub:4022"), ("TCP://shop:4022", "TCP://hub:4022"), hub=hub, **more)


def _changed(script: str, old: str, new: str) -> str:
    assert old in script, old
    return script.replace(old, new) if old else script


DELIVERED = "Always delivered: Stock on depot"
WAITS = "Always delayed: Waits in Orders on shop"
FAULTS = (
    ClassicFault("nothing is wrong", servers(), frozenset(), DELIVERED, "find their way back"),
    ClassicFault(
        "the broker is disabled after a restore",
        servers(depot=("USE Stock;", "ALTER DATABASE Stock SET DISABLE_BROKER;\nGO\nUSE Stock;")),
        frozenset({("error", "broker-disabled", "Stock")}),
        "Always dropped: Gets as far as depot",
        "Stock has the service but cannot be the target: its broker is disabled.",
        (("error", "broker-disabled", "Stock"),),
    ),
    ClassicFault(
        "the way back is forgotten",
        servers(depot=(BACK, "")),
        frozenset({("error", "no-return-route", "Stock")}),
        DELIVERED,
        "…but no return route: acknowledgements stay in Stock.",
        (("error", "no-return-route", "Stock"),),
    ),
    ClassicFault(
        "the way back leads to its own server",
        servers(depot=("TCP://shop:4022", "TCP://depot:4022")),
        frozenset({("error", "no-return-route", "Stock"), ("error", "own-address", "BackToOrders")}),
        DELIVERED,
        "…but acknowledgements do not come back from Stock",
        (("error", "no-return-route", "Stock"),),
    ),
    ClassicFault(
        "the service's name differs in case",
        servers(shop=("SERVICE_NAME = N'//depot/Stock'", "SERVICE_NAME = N'//Depot/Stock'")),
        frozenset({("error", "similar-service-name", "ToStock")}),
        WAITS,
        "No database of shop has the service //depot/Stock.",
        (("error", "similar-service-name", "ToStock"),),
    ),
    ClassicFault(
        "the service's name has a space at its end",
        servers(shop=("SERVICE_NAME = N'//depot/Stock'", "SERVICE_NAME = N'//depot/Stock '")),
        frozenset({("error", "similar-service-name", "ToStock")}),
        WAITS,
        "No database of shop has the service //depot/Stock.",
        (("error", "similar-service-name", "ToStock"),),
    ),
    ClassicFault(
        "the service's name has https for http",
        {
            "shop": SHOP.replace("N'//depot/Stock'", "N'https://depot/Stock'"),
            "depot": DEPOT.replace("[//depot/Stock]", "[http://depot/Stock]"),
        },
        frozenset({("error", "similar-service-name", "ToStock")}),
        WAITS,
        "No database of shop has the service http://depot/Stock.",
        (("error", "similar-service-name", "ToStock"),),
        service="http://depot/Stock",
    ),
    ClassicFault(
        "the route was made in msdb",
        servers(shop=("CREATE ROUTE", "USE msdb;\nGO\nCREATE ROUTE")),
        frozenset({("warning", "route-in-msdb", "ToStock")}),
        WAITS,
        "Create a route in Orders on shop to Stock on depot, which has //depot/Stock.",
        (("warning", "route-in-msdb", "ToStock"),),
    ),
    ClassicFault(
        "the endpoint is stopped",
        servers(depot=("STATE = STARTED", "STATE = STOPPED")),
        frozenset({("error", "endpoint-stopped", "depot")}),
        DELIVERED,
        "…but the Service Broker endpoint of depot is STOPPED",
        (("error", "endpoint-stopped", "depot"),),
    ),
    ClassicFault(
        "the address has the port for queries",
        servers(shop=("TCP://depot:4022", "TCP://depot:1433")),
        frozenset({("error", "wrong-port", "ToStock")}),
        "Always exits: tcp://depot:1433, outside this estate",
        "On that host, this estate has tcp://depot:4022",
        (("error", "wrong-port", "ToStock"),),
    ),
    ClassicFault(
        "the queue was switched off by a poison message",
        servers(depot=("dbo.StockQueue WITH STATUS = ON", "dbo.StockQueue WITH STATUS = OFF")),
        frozenset({("error", "queue-off", "dbo.StockQueue")}),
        DELIVERED,
        "…but the queue dbo.StockQueue of Stock on depot is off",
        (("error", "queue-off", "dbo.StockQueue"),),
    ),
    ClassicFault(
        "the target accepts another contract",
        servers() | {"depot": DEPOT.replace("//shop/Reserve]", "//shop/Reserved]")},
        frozenset({("error", "no-common-contract", "//depot/Stock")}),
        DELIVERED,
        "…but no conversation can begin. //depot/Stock: It accepts //shop/Reserved",
    ),
    ClassicFault(
        "activation lets no reader start",
        servers(depot=("dbo.StockQueue WITH STATUS = ON", f"dbo.StockQueue WITH {NO_READERS}")),
        frozenset({("warning", "no-queue-readers", "dbo.StockQueue")}),
        DELIVERED,
        "find their way back",
        (("warning", "no-queue-readers", "dbo.StockQueue"),),
    ),
    ClassicFault("a forwarder that forwards", forwarded(FORWARDS + HUB_ROUTES), frozenset(), DELIVERED, "way back"),
    ClassicFault(
        "a forwarder without the route onward",
        forwarded(FORWARDS + HUB_ROUTES.replace("CREATE ROUTE ToStock", "-- CREATE ROUTE ToStock")),
        frozenset({("error", "leads-nowhere", "ToStock")}),
        "Always dropped: Gets as far as hub",
        "Create a route in msdb on hub to Stock on depot, which has //depot/Stock.",
    ),
    ClassicFault(
        "a forwarder that does not forward",
        forwarded(ENDPOINT + HUB_ROUTES),
        frozenset({("error", "forwarding-off", "hub")}),
        "Always dropped: Gets as far as hub",
        "message forwarding is off on hub",
        (("error", "forwarding-off", "hub"),),
    ),
    ClassicFault(
        "forwarders that send to each other",
        forwarded(
            FORWARDS + HUB_ROUTES.replace("TCP://depot:4022", "TCP://relay:4022"),
            relay=FORWARDS + HUB_ROUTES.replace("TCP://depot:4022", "TCP://hub:4022"),
        ),
        frozenset({("error", "forwarding-loop", "ToStock")}),
        "Always dropped: Gets as far as hub",
        "It is forwarded in a loop, hub → relay → hub",
    ),
    ClassicFault(
        "AutoCreatedLocal of msdb was dropped",
        servers(depot=("USE Stock;", "USE msdb;\nGO\nDROP ROUTE AutoCreatedLocal;\nGO\nUSE Stock;")),
        frozenset({("error", "outside-goes-nowhere", "msdb")}),
        "Always dropped: Gets as far as depot",
        "No route of msdb on depot matches //depot/Stock.",
        (("error", "outside-goes-nowhere", "msdb"),),
    ),
)
