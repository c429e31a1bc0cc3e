"""An estate, collected from its servers, saved by any tool and imported, is the same estate."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.documents.estate_document import write_estate
from routing.model.address import parse_address
from routing.model.estate import Estate, Instance
from tests.extent import IS_ALL
from tests.routing.catalog.rich import draw_rich
from tests.routing.catalog.savers import PLAIN_SAVERS, SAVERS
from tests.routing.catalog.server import catalog, created, dumps, rows_of
from tests.strategies.choices import HypothesisChooser, RandomChooser

WAYS = [*SAVERS, *PLAIN_SAVERS]


def saved(instance: Instance, way: object) -> bytes:
    text = dumps(catalog(instance))
    return way(rows_of(text)) if way in SAVERS else way(text)  # type: ignore[operator,no-any-return] - a saver takes rows, any other way text


def bare(estate: Estate) -> Estate:
    """Only what servers do not tell: names, addresses, the hop limit."""
    instances = {name: Instance(name, addresses=each.addresses) for name, each in estate.instances.items()}
    return Estate(instances, estate.hop_limit)


def addressed(estate: Estate) -> Estate:
    """With the address that an import gives to an instance without one."""
    for instance in tuple(estate.instances.values()):
        if not instance.addresses:
            port = instance.endpoint.port if instance.endpoint else 4022
            own = parse_address(f"tcp://{instance.name}:{port}")
            estate = estate.with_instance(replace(instance, addresses=(own,)))
    return estate


def check(estate: Estate, ways: list[object]) -> None:
    after = bare(estate)
    for instance, way in zip(estate.instances.values(), ways, strict=False):
        snapshot = read_saved(saved(instance, way), where="f")
        applied = apply_snapshot(after, instance.name, snapshot)
        assert [finding for finding in applied.findings if finding.severity != "info"] == []
        after = applied.estate
    assert write_estate(after) == write_estate(created(addressed(estate)))
    assert after == created(addressed(estate))


@st.composite
def rich_estates(draw: st.DrawFn) -> Estate:
    return draw_rich(HypothesisChooser(draw))


@given(rich_estates(), st.lists(st.sampled_from(WAYS), min_size=5, max_size=5))
def test_any_estate_comes_back(estate: Estate, ways: list[object]) -> None:
    check(estate, ways)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_way_of_saving(way: object) -> None:
    rng = random.Random(7)
    for _ in range(4):
        check(draw_rich(RandomChooser(rng)), [way] * 5)


@pytest.mark.parametrize("seed", range(40 if IS_ALL else 20))
def test_many_estates_come_back(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(5):
        check(draw_rich(RandomChooser(rng)), [rng.choice(WAYS) for _ in range(5)])
