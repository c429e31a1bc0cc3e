"""What SQL Server itself creates in every database: consistent in itself, and not to be edited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from routing.common.errors import Invalid
from routing.common.names import SYSTEM_PREFIX, SYSTEM_SERVICES
from routing.model.catalog_objects import SYSTEM_MADE, Service
from routing.model.edits import DropDatabase, DropService, PutService
from routing.model.estate import Database, Edit, Estate, Instance
from routing.model.system_objects import (
    CONTRACT_IDS,
    MESSAGE_TYPE_IDS,
    SERVICE_IDS,
    SHIPPED_CONTRACTS,
    SHIPPED_MESSAGE_TYPES,
    SHIPPED_QUEUES,
    SHIPPED_SERVICES,
)

REFERENCE = Path(__file__).parents[3] / "docs/reference/rest.md"
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


@pytest.mark.parametrize(
    ("column", "names", "numbers"),
    [
        ("service_id", [one.name for one in SHIPPED_SERVICES], SERVICE_IDS),
        ("service_contract_id", [one.name for one in SHIPPED_CONTRACTS], CONTRACT_IDS),
        ("message_type_id", [one.name for one in SHIPPED_MESSAGE_TYPES], MESSAGE_TYPE_IDS),
        ("object_id", list(SHIPPED_QUEUES), SHIPPED_QUEUES),
    ],
)
def test_each_has_the_number_that_the_reference_prints(
    column: str, names: list[str], numbers: Mapping[str, int]
) -> None:
    assert names == list(numbers)
    text = REFERENCE.read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| `{column}` \| (\d+ .*) \|$", text, re.MULTILINE)
    printed = {name.replace("…/", SYSTEM_PREFIX): int(number) for number, name in re.findall(r"(\d+) `(.+?)`", row)}
    assert printed == numbers


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
