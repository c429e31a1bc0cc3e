"""The catalog views that join services, queues, contracts and message types by their numbers."""

from __future__ import annotations

from collections.abc import Iterator

from brokerui.api.catalog_rows import CatalogDatabase, Columns

Usage = tuple[tuple[str, str], Columns]
"""The name of the first side and the number of the second, by which rows are ordered, and the columns."""


def _usage(name: str, columns: Columns) -> Usage:
    _first, second, *_flags = columns.values()
    return (name, f"{second:010}"), columns


def queue_usages(catalog: CatalogDatabase) -> Iterator[Usage]:
    """Yield the queue of each service for which it is known."""
    numbers = catalog.numbers
    for service in catalog.services:
        if (queue := service.queue) is not None:
            columns = {"service_id": numbers.services[service.name], "service_queue_id": numbers.queues[queue]}
            yield _usage(service.name, columns)


def contract_usages(catalog: CatalogDatabase) -> Iterator[Usage]:
    """Yield the contracts that services accept as targets."""
    numbers = catalog.numbers
    for service in catalog.services:
        for name in dict.fromkeys(service.contracts):
            columns = {"service_id": numbers.services[service.name], "service_contract_id": numbers.contracts[name]}
            yield _usage(service.name, columns)


def message_usages(catalog: CatalogDatabase) -> Iterator[Usage]:
    """Yield the message types of contracts, and which side sends them."""
    numbers = catalog.numbers
    for contract in catalog.contracts:
        senders: dict[str, set[str]] = {}
        for usage in contract.messages:
            senders.setdefault(usage.message_type, set()).add(usage.sent_by)
        for name, sides in senders.items():
            yield _usage(
                contract.name,
                {
                    "service_contract_id": numbers.contracts[contract.name],
                    "message_type_id": numbers.message_types[name],
                    "is_sent_by_initiator": bool(sides & {"INITIATOR", "ANY"}),
                    "is_sent_by_target": bool(sides & {"TARGET", "ANY"}),
                },
            )
