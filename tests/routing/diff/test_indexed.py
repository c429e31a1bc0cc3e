"""A comparison over an index that many comparisons share: it answers as one that knows nothing beforehand."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest

from routing.classes.indexed_estate import IndexedEstate
from routing.common.errors import Invalid
from routing.diff.run import compare
from routing.documents.estate_document import read_estate, write_estate
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    DropService,
    PutDatabase,
    PutInstance,
    PutRoute,
    PutService,
    SetBroker,
    SetForwarding,
    SetHopLimit,
    SetMirroringRole,
)
from routing.model.estate import Edit, Estate
from tests.routing.differential import rows_of
from tests.strategies import AT, random_case

CASES = int(os.environ.get("BROKERUI_EDITS", "240")) // 4
LISTS = 6
"""Lists of edits that are compared with one index, one after the other."""


def drawn_edit(rng: random.Random, estate: Estate, donor: Estate) -> Edit | None:
    """Draw an edit of the estate that takes its new values from another one; None where there is nothing to edit."""
    instance = rng.choice(list(estate.instances.values()))
    giver = rng.choice(list(donor.instances.values()))
    if not instance.databases or not giver.databases:
        return SetForwarding(instance.name, not instance.forwarding)
    database, given = rng.choice(list(instance.databases.values())), rng.choice(list(giver.databases.values()))
    place = instance.name, database.name
    kinds: list[Any] = [
        SetForwarding(instance.name, not instance.forwarding),
        SetBroker(*place, not database.broker_enabled),
        SetMirroringRole(*place, rng.choice([None, "PRINCIPAL", "MIRROR"])),
        SetHopLimit(rng.randrange(4)),
        PutDatabase(instance.name, given),
        PutInstance(giver),
        DropDatabase(*place),
        DropInstance(instance.name),
        *(PutRoute(*place, route) for route in given.table.routes.values()),
        *(PutRoute(instance.name, "msdb", route) for route in given.table.routes.values()),
        *(DropRoute(*place, name) for name in database.table.routes),
        *(PutService(*place, service) for service in given.user_services),
        *(DropService(*place, service.name) for service in database.user_services),
    ]
    chosen: Edit = rng.choice(kinds)
    return chosen


def edited(rng: random.Random, estate: Estate, donor: Estate, rounds: int) -> Estate:
    for _ in range(rounds):
        edit = drawn_edit(rng, estate, donor) if estate.instances and donor.instances else None
        try:
            estate = edit.apply(estate) if edit is not None else estate
        except Invalid:
            continue  # two instances would share an address, or two databases an identifier
    return estate


def read_again(estate: Estate) -> Estate:
    """The same estate, which shares no object with it."""
    return read_estate(write_estate(estate))


@pytest.mark.parametrize("part", range(4))
def test_one_index_serves_many_lists_of_edits(part: int) -> None:
    changed = 0
    for seed in range(part, CASES, 4):
        rng = random.Random(seed)
        base, donor = (read_estate(json.dumps(random_case(rng, 0).estate)) for _ in range(2))
        indexed = IndexedEstate(base)
        for rounds in range(1, LISTS + 1):
            after = edited(rng, base, donor, rounds % 3 + 1)
            quick, whole = compare(indexed, after, AT), compare(read_again(base), read_again(after), AT)
            assert rows_of(quick) == rows_of(whole), f"seed {seed}, {rounds}"
            assert quick.summary() == whole.summary()
            assert quick.intended == whole.intended
            changed += bool(quick.groups)
    assert changed > CASES // 4
