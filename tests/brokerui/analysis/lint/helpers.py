"""An estate with findings of each severity, and helpers to read its lint results."""

from __future__ import annotations

from brokerui.changes.estate_view import EstateView, estate_view_from
from brokerui.estate.selectors import LiveEstate
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from tests.brokerui.estate.helpers import brought_in
from tests.brokerui.estates import IDENTIFIER, LOCAL, Json, database, document, instance, to

AT = "2030-01-01T00:00:00Z"


def estate(branches: int = 2) -> Estate:
    """A hub with a route that has expired, one that is doubled and one to nowhere; and branches."""
    sales = database(
        "Sales",
        LOCAL,
        to("tcp://branch0", "Old", name="OldRoute", lifetime="2026-05-01T00:00:00Z"),
        to("tcp://gone.example", "Audit", name="ToAudit"),
        to("tcp://branch0", "Price", name="First"),
        to("tcp://branch0", "Price", name="Second"),
        services=("Orders",),
        broker_instance=IDENTIFIER.format(1),
    )
    shops = [instance(f"branch{number}", _shop(number), database("msdb", LOCAL)) for number in range(branches)]
    return read_estate(document(instance("hub", sales, database("msdb", LOCAL)), *shops))


def _shop(number: int) -> Json:
    """All but the first two have a route to nowhere, each."""
    more = [to(f"tcp://gone{number}.example", "Audit")] if number > 1 else []
    return database("Shop", LOCAL, to("tcp://hub", "Orders"), *more, services=("Price", "Old"))


def live(branches: int = 2) -> LiveEstate:
    return brought_in(estate(branches))


def viewed(**query: str) -> EstateView:
    return estate_view_from(query)
