"""Reads grids that were copied without their headings, where the cells alone make clear what each column is.

Addresses, identifiers and dates are known by their form. Where two columns could be the name of the route or of its
service, the grid is refused with that reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from routing.catalog.column_kinds import NULLS, ColumnCells, columns_of
from routing.catalog.document import MAX_ROWS
from routing.catalog.drawn_tables import drawn_rows
from routing.catalog.grid_parser import TRAILER, Grid
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.dialog.states import STATES
from routing.model.route import AUTO_CREATED_LOCAL

Rows = list[tuple[int, list[str]]]
_LINE_END = re.compile(r"\r\n|\r|\n")
_SEPARATORS = ("\t", ";", ",", "  ")
"""Separators of cells; two blanks or more where nothing else separates them."""
_BLANKS = re.compile(r" {2,}")
_LONGEST = 1 << 16
"""Limit of characters of a line."""
_ROUTES_WHOLE = (
    *("name", "route_id", "principal_id", "remote_service_name", "broker_instance", "lifetime", "address"),
    "mirror_address",
)
"""The columns of `SELECT * FROM sys.routes`."""
_BY_FORM = (("mirror_address", "is_network"), ("broker_instance", "is_identifier"), ("lifetime", "is_date"))
"""Columns of `sys.routes` that are known by the form of their cells, and the property that asks for it."""
_QUEUE_WHOLE = (
    *("conversation_handle", "to_service_name", "to_broker_instance", "from_service_name", "service_contract_name"),
    *("enqueue_time", "message_sequence_number", "message_type_name", "is_conversation_error", "is_end_of_dialog"),
    *("message_body", "transmission_status", "priority"),
)
"""The columns of `SELECT * FROM sys.transmission_queue`."""
_ENDPOINTS_WHOLE = (
    *("conversation_handle", "conversation_id", "is_initiator", "service_contract_id", "conversation_group_id"),
    *("service_id", "lifetime", "state", "state_desc", "far_service", "far_broker_instance", "principal_id"),
    *("far_principal_id", "outbound_session_key_identifier", "inbound_session_key_identifier", "security_timestamp"),
    *("dialog_timer", "send_sequence", "last_send_tran_id", "end_dialog_sequence", "receive_sequence"),
    *("receive_sequence_frag", "system_sequence", "first_out_of_order_sequence", "last_out_of_order_sequence"),
    *("last_out_of_order_frag", "is_system", "priority"),
)
"""The columns of `SELECT * FROM sys.conversation_endpoints`."""


def read_headless(text: str) -> Grid | None:
    """The grid of a text without headings; None if the text is no such grid.

    Raises `Invalid` where it is one, and what its columns are is not clear.
    """
    rows = _rows(text)
    if not rows:
        return None
    columns = columns_of([cells for _, cells in rows])
    names = _transmission_queue(columns) or _conversation_endpoints(columns) or _routes(columns) or _databases(columns)
    if names is None:
        return None
    return Grid(_view_of(names), names, tuple((number, tuple(cells)) for number, cells in rows))


def _view_of(names: Sequence[str]) -> str:
    marks = {"to_service_name": "transmission_queue", "far_service": "conversation_endpoints", "address": "routes"}
    return next((view for column, view in marks.items() if column in names), "databases")


# ---------------------------------------------------------------- rows


def _rows(text: str) -> Rows:
    """The rows of the one form in which all lines have as many cells; empty if there is none."""
    drawn = drawn_rows(text)
    if drawn is not None:
        return drawn if _is_even(drawn) else []
    lines = [(number, line) for number, line in enumerate(_LINE_END.split(text.lstrip("\ufeff")), 1) if line.strip()]
    while lines and TRAILER.fullmatch(lines[-1][1].strip()):
        lines.pop()
    if not lines or len(lines) > MAX_ROWS or any(len(line) > _LONGEST for _, line in lines):
        return []
    for separator in _SEPARATORS:
        rows = [(number, list(_cells(line, separator))) for number, line in lines]
        if _is_even(rows):
            return rows
    return []


def _cells(line: str, separator: str) -> Iterator[str]:
    pieces = _BLANKS.split(line.strip()) if separator == "  " else line.split(separator)
    for piece in pieces:
        cell = piece.strip() if separator != "\t" else piece
        yield cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _is_even(rows: Rows) -> bool:
    """True if all rows have as many cells, and enough of them to be distinguished."""
    return bool(rows) and len(rows[0][1]) > 2 and all(len(one[1]) == len(other[1]) for one, other in pairwise(rows))


# ---------------------------------------------------------------- views


def _routes(columns: Sequence[ColumnCells]) -> tuple[str, ...] | None:
    """The columns of `sys.routes`: one of addresses, the others by their form, name and service by what they hold."""
    addresses = [one for one in columns if one.is_address and one.is_complete]
    if not addresses:
        return None
    address = addresses[0]
    if len(columns) == len(_ROUTES_WHOLE) and _is_whole_routes(columns):
        return _ROUTES_WHOLE
    found = {address.index: "address"}
    for column, kind in _BY_FORM:
        fitting = [one for one in columns if one.index not in found and getattr(one, kind)]
        if len(fitting) > 1:
            raise Invalid("", say("{count} of its columns could be {column}", count=len(fitting), column=column))
        found |= {one.index: column for one in fitting}
    name, service = _of_default_route(columns, address) or _name_and_service([one for one in columns if one.is_text])
    found |= {name.index: "name", service.index: "remote_service_name"}
    return tuple(found.get(one.index, "") for one in columns)


def _is_whole_routes(columns: Sequence[ColumnCells]) -> bool:
    name, route_id, owner, service, identifier, lifetime, address, mirror = columns
    return (
        name.is_unique
        and (route_id.is_number and route_id.is_unique and owner.is_number)
        and (service.is_unknown or service.is_text or service.is_network)
        and (identifier.is_unknown or identifier.is_identifier)
        and (lifetime.is_unknown or lifetime.is_date)
        and (address.is_address and address.is_complete)
        and (mirror.is_unknown or mirror.is_network)
    )


def _of_default_route(columns: Sequence[ColumnCells], address: ColumnCells) -> tuple[ColumnCells, ColumnCells] | None:
    """The columns of name and service of a grid with the one route that every database has; None for any other."""
    names = [one for one in columns if one.cells == (AUTO_CREATED_LOCAL.name,)]
    nulls = [one for one in columns if one.is_unknown]
    is_default = address.cells == (AUTO_CREATED_LOCAL.address.text,) and names and nulls
    return (names[0], nulls[0]) if is_default else None


def _name_and_service(texts: Sequence[ColumnCells]) -> tuple[ColumnCells, ColumnCells]:
    """The columns of route and service. Raises `Invalid` if they cannot be distinguished."""
    if len(texts) != 2:
        raise Invalid("", say("it has not two columns of names, that of the route and that of the service"))
    name, service = texts
    if not (name.is_unique and _is_service_beside(name, service)):
        raise Invalid("", say("it is not clear which column is the name of the route, and which that of the service"))
    return name, service


def _is_service_beside(name: ColumnCells, service: ColumnCells) -> bool:
    """True if a column cannot be names of routes: it is NULL for AutoCreatedLocal, a name stands in it twice, or its
    names have slashes and those of the routes have none."""
    by_route = dict(zip(name.cells, service.cells, strict=True))
    own = by_route.get(AUTO_CREATED_LOCAL.name)
    if own is not None:
        return own in NULLS
    is_slashed = all("/" in cell for cell in service.known) and not any("/" in cell for cell in name.cells)
    return is_slashed or not service.is_unique


def _databases(columns: Sequence[ColumnCells]) -> tuple[str, ...] | None:
    """The columns of `sys.databases`: name, identifier and whether the broker is enabled, in any order."""
    names = [one for one in columns if one.is_text and one.is_unique]
    identifiers = [one for one in columns if one.is_identifier and one.is_complete]
    bits = [one for one in columns if one.is_bit]
    if not (len(names) == len(identifiers) == len(bits) == 1 and len(columns) == 3):
        return None
    found = {names[0].index: "name", identifiers[0].index: "service_broker_guid", bits[0].index: "is_broker_enabled"}
    return tuple(found[one.index] for one in columns)


def _transmission_queue(columns: Sequence[ColumnCells]) -> tuple[str, ...] | None:
    """`SELECT * FROM sys.transmission_queue`: its columns stand in one order."""
    if len(columns) != len(_QUEUE_WHOLE):
        return None
    handle, _, broker, *_ = columns
    is_whole = (
        (handle.is_identifier and handle.is_complete)
        and (broker.is_unknown or broker.is_identifier)
        and (columns[5].is_date and columns[6].is_number and columns[8].is_bit and columns[9].is_bit)
        and columns[12].is_number
    )
    return _QUEUE_WHOLE if is_whole else None


def _conversation_endpoints(columns: Sequence[ColumnCells]) -> tuple[str, ...] | None:
    """`SELECT * FROM sys.conversation_endpoints`: its columns stand in one order."""
    if len(columns) != len(_ENDPOINTS_WHOLE):
        return None
    handle, identifier, initiator, *_ = columns
    is_whole = (
        (handle.is_identifier and handle.is_complete and identifier.is_identifier and initiator.is_bit)
        and (columns[5].is_number and columns[6].is_date)
        and all(cell.strip() in STATES for cell in columns[7].cells)
    )
    return _ENDPOINTS_WHOLE if is_whole else None
