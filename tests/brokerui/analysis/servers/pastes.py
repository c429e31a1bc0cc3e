"""Rows as people paste them of a server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

AT = datetime(2026, 11, 24, 8, 37, tzinfo=UTC)
NO_ROUTE = "The target service name could not be found. Ensure that the service name is specified correctly."
QUEUE = (
    "conversation_handle\tto_service_name\tto_broker_instance\tfrom_service_name\tenqueue_time\ttransmission_status\n"
    f"6F9619FF-8B86-D011-B42D-00C04FC964FF\t//shop/Stock\tNULL\t//shop/Mine\t2026-11-24 02:25:00.000\t{NO_ROUTE}\n"
    f"6F9619FF-8B86-D011-B42D-00C04FC964FE\t//shop/Stock\tNULL\t//shop/Mine\t2026-11-24 07:00:00.000\t{NO_ROUTE}\n"
)
SUMS = (
    "service_name\tfar_service\tis_initiator\tstate\tage_days\tendpoints\n"
    "//shop/Audit\t//shop/Mine\t0\tDI\t0\t18240\n"
    "//shop/Audit\t//shop/Mine\t0\tDI\t7\t418305\n"
    "//shop/Audit\t//shop/Mine\t0\tDI\t180\t48624361\n"
    "//shop/Mail\t//shop/Mine\t0\tCD\t30\t61233\n"
    "//shop/Audit\t//shop/Mine\t0\tCO\t0\t212\n"
)


def sqlcmd(grid: str, width: int = 110) -> str:
    """A grid as sqlcmd prints it: padded columns, dashes below the heading, and the number of rows."""
    rows = [line.split("\t") for line in grid.splitlines()]
    lines = [" ".join(cell.ljust(width) for cell in row) for row in rows]
    dashes = " ".join("-" * width for _ in rows[0])
    return "\n".join([lines[0], dashes, *lines[1:], "", f"({len(rows) - 1} rows affected)", ""])


def csv(grid: str) -> str:
    return grid.replace("\t", ",")


def endpoints(days: float, count: int, state: str = "DI") -> str:
    """Raw rows of sys.conversation_endpoints that began this number of days before `AT`."""
    lifetime = AT - timedelta(days=days) + timedelta(seconds=2_147_483_647)
    head = "conversation_handle\tis_initiator\tlifetime\tstate\tfar_service\n"
    row = f"6F9619FF-8B86-D011-B42D-00C04FC964FF\t0\t{lifetime:%Y-%m-%d %H:%M:%S}.000\t{state}\t//shop/Mine\n"
    return head + row * count
