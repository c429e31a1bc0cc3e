"""Upstream and downstream on the map: in the address, in words, and the same from both ends."""

from __future__ import annotations

import json
import re
from html import unescape
from itertools import permutations

import pytest
from django.test import Client
from hypothesis import given

from brokerui.estate.refs import Ref, database, instance_ref, outside
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.reach import DOWN, UP, reach_in_words, reached
from routing.documents.estate_document import read_estate
from tests.brokerui.estates import database as db
from tests.brokerui.estates import document, instance, to
from tests.brokerui.pages.map.helpers import network
from tests.strategies import Json, estates

GATE_ONLY = to("tcp://gate:4022", "Sales")


def through_a_gate(*, forwarding: bool) -> RouteNetwork:
    """`here` sends to the gate, whose msdb leads on to `there`."""
    return network(
        document(
            instance("here", db("app", GATE_ONLY, services=("Ask",))),
            instance("gate", db("msdb", to("tcp://there:4022", "Sales")), forwarding=forwarding),
            instance("there", db("shop", services=("Sales",)), db("other", services=("Else",))),
        )
    )


def names(refs: frozenset[Ref]) -> set[str]:
    return {"/".join(ref.names) for ref in refs}


@pytest.mark.parametrize(("forwarding", "beyond"), [(True, True), (False, False)])
def test_messages_from_outside_go_on_where_an_instance_forwards(*, forwarding: bool, beyond: bool) -> None:
    found = names(reached(through_a_gate(forwarding=forwarding), database("here", "app"), DOWN))
    assert {"here/app", "gate"} <= found
    assert ("there/shop" in found) is beyond
    assert "there/other" not in found, "the route is for another service"
    back = names(reached(through_a_gate(forwarding=forwarding), database("there", "shop"), UP))
    assert ("here/app" in back) is beyond
    assert "gate/msdb" in back


def test_an_address_outside_has_all_that_lead_to_it_upstream() -> None:
    one = network(document(instance("here", db("app", to("tcp://far.example:4022")))))
    (place,) = one.addresses
    assert "here/app" in names(reached(one, place, UP))
    assert names(reached(one, outside(place.name), DOWN)) == {place.name}


@given(estates())
def test_a_database_is_downstream_of_another_one_where_that_is_upstream_of_it(estate: Json) -> None:
    one = RouteNetwork(read_estate(json.dumps(estate)))
    databases = [database(i.name, d) for i in one.estate.instances.values() for d in i.databases if d != "msdb"]
    down = {ref: reached(one, ref, DOWN) for ref in databases}
    up = {ref: reached(one, ref, UP) for ref in databases}
    for here, there in permutations(databases, 2):
        assert (there in down[here]) is (here in up[there]), (here, there)


def test_the_words_count_what_is_highlighted() -> None:
    found = reached(through_a_gate(forwarding=True), instance_ref("here"), DOWN)
    assert reach_in_words(found, DOWN).render(str) == "Downstream: 3 instances, 3 databases, 2 routes"


@pytest.mark.django_db
def test_the_address_of_the_map_holds_it(viewer: Client) -> None:
    answer = unescape(
        viewer.get("/map/?scenario=three-servers&select=database/shop/Orders&reach=down").content.decode()
    )
    assert "Downstream: " in answer
    assert re.search(r'class="mark cell[^"]* lit[^"]*" href="[^"]*" data-ref="database/depot/Stock"', answer)
    nothing = viewer.get("/map/?scenario=three-servers&select=database/no/such&reach=up")
    assert nothing.status_code == 200
