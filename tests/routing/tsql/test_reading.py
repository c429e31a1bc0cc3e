"""Groups of scripts: instances, their addresses, and what an estate brings along."""

from __future__ import annotations

import json
from typing import Any

import pytest

from routing.common.errors import InputError
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.estate import Estate
from routing.tsql import ScriptGroup, read_scripts
from routing.tsql import report as report_module
from tests.routing.tsql.rich import AT
from tests.routing.tsql.sketch import lines_of, sketch

ENDPOINT = "CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 5022) FOR SERVICE_BROKER ()"


def group(name: str, *texts: str, address: str | None = None) -> ScriptGroup:
    scripts = [(f"{number}.sql", text) for number, text in enumerate(texts)]
    return ScriptGroup(name, parse_address(address) if address else None, scripts)


def read(*groups: ScriptGroup, into: Estate | None = None) -> Any:
    return read_scripts(groups, into=into, at=AT)


def document(**instance: Any) -> Estate:
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": [{"name": "h", **instance}]}))


@pytest.mark.parametrize(
    ("one", "at"),
    [
        (group("h", "GO"), "tcp://h:4022"),
        (group("h", ENDPOINT), "tcp://h:5022"),
        (group("h", ENDPOINT, address="tcp://far"), "tcp://far"),
        (group("SRV\\SQL", ENDPOINT), "tcp://SRV:5022"),
        (group("two words", "GO"), ""),
    ],
)
def test_the_address_of_an_instance(one: ScriptGroup, at: str) -> None:
    estate, _ = read(one)
    assert " ".join(address.text for address in estate.instances[one.name].addresses) == at


def test_an_address_that_cannot_be_made_is_told() -> None:
    _, findings = read(group("SRV\\A", ENDPOINT), group("SRV\\B", ENDPOINT))
    assert [(finding.code, finding.instance) for finding in findings] == [("address-unknown", "SRV\\B")]


def test_one_address_cannot_be_given_twice() -> None:
    with pytest.raises(InputError, match="is an address of"):
        read(group("a", "GO", address="tcp://x"), group("b", "GO", address="tcp://x"))


def test_every_new_instance_has_an_msdb_that_delivers() -> None:
    assert "AutoCreatedLocal" in read(group("h", "GO"))[0].instances["h"].databases["msdb"].table.routes


def test_an_instance_of_an_estate_keeps_what_it_has() -> None:
    into = document(addresses=["tcp://x"], databases=[{"name": "A"}])
    assert sketch(read(group("H", "USE a"), into=into)[0]) == ["at tcp://x", "A", "A: no AutoCreatedLocal"]
    assert "msdb" not in read(group("h", "USE a"), into=into)[0].instances["h"].databases


def test_an_address_that_was_derived_follows_the_endpoint() -> None:
    into = document(addresses=["tcp://h:4022"])
    assert read(group("h", ENDPOINT), into=into)[0].instances["h"].addresses[0].port == 5022


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("ALTER ENDPOINT x FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED)", []),
        ("ALTER ENDPOINT ServiceBrokerEndpoint STATE = STOPPED", []),
        ("ALTER ENDPOINT x STATE = STOPPED", ["warning not-found 1 x"]),
    ],
)
def test_documents_do_not_name_endpoints(statement: str, expected: list[str]) -> None:
    assert lines_of(read(group("h", statement), into=document(endpoint={"port": 4022}))[1]) == expected


def test_every_script_begins_in_master() -> None:
    estate, findings = read(group("h", "USE A", "CREATE QUEUE q"))
    assert sketch(estate) == ["master", "master: queue dbo.q", "A"]
    assert lines_of(findings) == ["info no-statement", "warning no-use 1 dbo.q"]


def test_a_script_that_names_its_instances_itself() -> None:
    lines = '-- brokerui: {"instance": {"name": "a"}}\nUSE A\n-- brokerui: {"instance": {"name": "b"}}\nUSE B'
    assert sketch(read(group("any", lines))[0]) == ["a A", "b B"]
    assert list(read(group("any", "USE X", lines))[0].instances) == ["any", "a", "b"]


def test_findings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "MAX_FINDINGS", 3)
    _, findings = read(group("h", "USE A " + "DROP ROUTE r " * 10))
    assert lines_of(findings)[3:] == ["error not-understood 1"]
    assert str(findings[3].reason) == "7 more findings of this script are left out"


def test_a_name_that_no_instance_can_have() -> None:
    with pytest.raises(InputError):
        read(group("x" * 257, ""))


PARTIAL = "USE A\nCREATE SERVICE s ON QUEUE Q"


def test_a_queue_that_no_script_makes_may_be_there_where_the_database_is_only_used() -> None:
    estate, findings = read(group("h", PARTIAL))
    assert (sketch(estate), lines_of(findings)) == (["A", "A: service s on dbo.Q"], ["warning not-found 2 s"])


def test_an_estate_that_is_there_tells_all_that_its_databases_hold() -> None:
    estate, findings = read(group("h", PARTIAL), into=document(databases=[{"name": "A"}]))
    assert sketch(estate) == ["at no address", "A", "A: no AutoCreatedLocal"]
    assert lines_of(findings)[0] == "warning not-found 2 s"


def test_a_queue_that_comes_later_gives_the_service_its_spelling() -> None:
    estate, _ = read(group("h", PARTIAL, "USE A\nCREATE QUEUE q"))
    assert sketch(estate) == ["A", "A: queue dbo.q", "A: service s on dbo.q"]
