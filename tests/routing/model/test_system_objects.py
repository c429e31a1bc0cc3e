"""What SQL Server itself creates in every database: consistent in itself, and not to be edited."""

from __future__ import annotations

import pytest

from routing.common.errors import Invalid
from routing.common.names import SYSTEM_SERVICES
from routing.model.catalog_objects import SYSTEM_MADE, Service
from routing.model.edits import DropDatabase, DropService, PutService
from routing.model.estate import Database, Edit, Estate, Instance
from routing.model.system_objects import (
    SHIPPED_CONTRACTS,
    SHIPPED_MESSAGE_TYPES,
    SHIPPED_QUEUES,
    SHIPPED_SERVICES,
)

ESTATE = Estate({"h": Instance("h", {"D": Database("D", services=(*SYSTEM_MADE, Service("Own")))})})


def test_services_use_queues_contracts_and_message_types_that_are_there() -> None:
    assert {one.name for one in SHIPPED_SERVICES} == set(SYSTEM_SERVICES)
    assert [one.queue for one in SHIPPED_SERVICES] == list(SHIPPED_QUEUES)
    contracts = {one.name: one for one in SHIPPED_CONTRACTS}
    assert {name for one in SHIPPED_SERVICES for name in one.contracts} <= set(contracts)
    types = [one.name for one in SHIPPED_MESSAGE_TYPES]
    assert (len(types), types[13]) == (14, "DEFAULT")
    assert {usage.message_type for one in SHIPPED_CONTRACTS for usage in one.messages} <= set(types)
    assert (len(contracts), SHIPPED_CONTRACTS[5].name) == (6, "DEFAULT")


@pytest.mark.parametrize("service", SYSTEM_SERVICES)
def test_no_edit_changes_or_drops_them_alone(service: str) -> None:
    edits: list[Edit] = [PutService("h", "D", Service(service, "dbo.Q")), DropService("h", "D", service)]
    for edit in edits:
        with pytest.raises(Invalid) as refused:
            edit.apply(ESTATE)
        assert (refused.value.path, "in every database" in str(refused.value.problem)) == ("name", True)
    assert DropDatabase("h", "D").apply(ESTATE).instances["h"].databases == {}


def test_services_of_users_are_edited_as_before() -> None:
    assert not DropService("h", "D", "Own").apply(ESTATE).instances["h"].databases["D"].user_services
