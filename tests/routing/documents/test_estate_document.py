"""The estate document: everything in it is read, written back the same, or refused with its path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from routing.common.errors import InputError
from routing.documents import estate_document
from routing.documents.estate_document import FORMAT, read_estate, read_version, write_estate
from routing.model.estate import Estate

ID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
FULL = {
    "format": FORMAT,
    "hop_limit": 3,
    "instances": [
        {
            "name": "host1",
            "addresses": ["tcp://Host1.example:4022/", "tcp://alias"],
            "forwarding": True,
            "endpoint": {"port": 4023, "state": "STOPPED", "forward_size": 20},
            "databases": [
                {
                    "name": "Orders",
                    "broker_instance": f"{{{ID.upper()}}}",
                    "broker_enabled": False,
                    "mirroring_role": "PRINCIPAL",
                    "services": ["Plain", {"name": "Ship", "queue": "dbo.ShipQueue", "contracts": ["C"]}],
                    "queues": [{"name": "dbo.ShipQueue", "activation": {"procedure": "dbo.p", "max_readers": 4}}],
                    "contracts": [{"name": "C", "messages": [{"message_type": "M", "sent_by": "ANY"}]}],
                    "message_types": [{"name": "M", "validation": "WELL_FORMED_XML"}],
                    "priorities": [{"name": "P", "contract_name": "C", "priority_level": 9}],
                    "remote_service_bindings": [{"name": "B", "remote_service_name": "S", "user": "u"}],
                    "routes": [
                        {"name": "R", "address": " LOCAL ", "lifetime": "2030-01-01T02:00:00+02:00"},
                        {"name": "M", "address": "tcp://a", "mirror_address": "tcp://b", "broker_instance": ID},
                    ],
                }
            ],
        },
        {"name": "host2"},
    ],
}


def refusal(source: bytes | str) -> str:
    with pytest.raises(InputError) as caught:
        read_estate(source, where="e.json")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def estate(**members: Any) -> str:
    return json.dumps({"format": FORMAT, **members})


def instance(**members: Any) -> str:
    return estate(instances=[{"name": "a", **members}])


def database(**members: Any) -> str:
    return instance(databases=[{"name": "d", **members}])


def route(**members: Any) -> str:
    return database(routes=[{"name": "r", "address": "LOCAL", **members}])


# ---------------------------------------------------------------- valid documents


def test_the_smallest_document_is_an_estate_without_instances() -> None:
    assert read_estate(f'{{"format": "{FORMAT}"}}') == Estate({}, 10)


def test_everything_is_read_and_written_in_one_spelling() -> None:
    text = write_estate(read_estate(json.dumps(FULL)))
    assert read_estate(text) == read_estate(json.dumps(FULL))
    assert write_estate(read_estate(text)) == text


def test_what_was_left_out_is_its_default() -> None:
    host2 = read_estate(json.dumps(FULL)).instances["host2"]
    assert (host2.addresses, host2.forwarding, host2.endpoint, host2.databases) == ((), False, None, {})
    plain = read_estate(database()).instances["a"].databases["d"]
    assert (plain.broker_instance, plain.broker_enabled, plain.mirroring_role) == (None, True, None)


def test_keys_may_stand_in_any_order() -> None:
    turned = json.dumps(FULL, sort_keys=True)
    assert read_estate(turned) == read_estate(json.dumps(FULL))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_bytes_are_read_in_every_encoding_of_json(encoding: str) -> None:
    text = estate(instances=[{"name": "Büro 東京"}])
    assert list(read_estate(text.encode(encoding)).instances) == ["Büro 東京"]


def test_a_text_may_begin_with_a_byte_order_mark() -> None:
    assert read_estate("\ufeff" + estate()) == Estate()


# ---------------------------------------------------------------- refused documents


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "$: must be an object (line 1, column 1)"),
        ("{}", '$.format: is missing; it must be "brokerui.estate/1"'),
        ('{"format": "brokerui.estate/2"}', '$.format: must be "brokerui.estate/1", not "brokerui.estate/2"'),
        ('{"format": ["brokerui.estate/1"]}', '$.format: must be "brokerui.estate/1", not an array'),
        (estate(hop_limit="10"), '$.hop_limit: must be a whole number, not "10"'),
        (estate(hop_limit=True), "$.hop_limit: must be a whole number, not true"),
        (estate(hop_limit=256), "$.hop_limit: must be 0 to 255"),
        (estate(hops=1), '$: has the unknown key "hops"; known are format, valid_from, hop_limit, instances'),
        (estate() + "x", "$: there is more text after the document (line 1, column 32)"),
        (estate(instances={}), "$.instances: must be an array (line 1, column 46)"),
        (estate(instances=[3]), "$.instances[0]: must be an object (line 1, column 47)"),
        (estate(instances=[{}]), "$.instances[0].name: is missing"),
        (estate(instances=[{"name": "a"}, {"name": "a"}]), '$.instances[1].name: stands twice: "a"'),
        (instance(name=None), "$.instances[0].name: must be a string, not null"),
        (instance(addresses="tcp://a"), '$.instances[0].addresses: must be an array, not "tcp://a"'),
        (
            instance(addresses=["tcp://a", "LOCAL"]),
            '$.instances[0].addresses[1]: must be tcp://HOST[:PORT], not "LOCAL"',
        ),
        (instance(forwarding=1), "$.instances[0].forwarding: must be true or false, not 1"),
        (instance(endpoint={}), "$.instances[0].endpoint.port: is missing"),
        (instance(endpoint={"port": 0}), "$.instances[0].endpoint.port: must be 1 to 65535"),
        (instance(databases=[{}]), "$.instances[0].databases[0].name: is missing"),
        (instance(databases=[{"name": "d"}] * 2), '$.instances[0].databases[1].name: stands twice: "d"'),
        (
            instance(databases=[{"name": name, "broker_instance": ID} for name in "de"]),
            (
                '$.instances[0].databases[1].broker_instance: is the identifier of "d" already; '
                "two enabled databases cannot share one"
            ),
        ),
        (
            estate(instances=[{"name": name, "addresses": ["tcp://a"]} for name in "ab"]),
            '$.instances[1].addresses[0]: tcp://a:4022 is an address of "a" already',
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_path(text: str, says: str) -> None:
    assert refusal(text) == f"e.json: {says}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (database(broker_instance="x"), '.broker_instance: must be a GUID (8-4-4-4-12 hex digits), not "x"'),
        (database(broker_enabled=None), ".broker_enabled: must be true or false, not null"),
        (database(mirroring_role="mirror"), ".mirroring_role: must be null, PRINCIPAL or MIRROR"),
        (database(services=["S", "S"]), '.services[1].name: stands twice: "S"'),
        (database(services=[3]), ".services[0]: must be an object, not 3"),
        (database(services=[{"queue": "q"}]), ".services[0].name: is missing"),
        (database(services=[{"name": "S", "contracts": [1]}]), ".services[0].contracts[0]: must be a string, not 1"),
        (
            database(queues=[{"name": "q", "size": 1}]),
            ('.queues[0]: has the unknown key "size"; known are name, enabled, retention, poison_handling, activation'),
        ),
        (database(queues=[{"name": "q", "activation": {}}]), ".queues[0].activation.procedure: is missing"),
        (database(contracts=[{"name": "c", "messages": [{}]}]), ".contracts[0].messages[0].message_type: is missing"),
        (
            database(message_types=[{"name": "m", "validation": "XML"}]),
            ".message_types[0].validation: must be one of NONE, EMPTY, WELL_FORMED_XML, VALID_XML, not XML",
        ),
        (database(priorities=[{"name": "p", "priority_level": 11}]), ".priorities[0].priority_level: must be 1 to 10"),
        (
            database(remote_service_bindings=[{"name": "b"}]),
            ".remote_service_bindings[0].remote_service_name: is missing",
        ),
        (database(routes=[{"name": "r"}]), ".routes[0].address: is missing"),
        (database(routes=[{"address": "LOCAL"}]), ".routes[0].name: is missing"),
        (database(routes=[{"name": "r", "address": "LOCAL"}] * 2), '.routes[1].name: stands twice: "r"'),
        (route(address="here"), '.routes[0].address: must be LOCAL, TRANSPORT or tcp://HOST[:PORT], not "here"'),
        (route(remote_service_name=""), ".routes[0].remote_service_name: must not be empty"),
        (route(remote_service_name="a\0b"), ".routes[0].remote_service_name: holds a NUL or half a surrogate pair"),
        (route(remote_service_name="\ud800"), ".routes[0].remote_service_name: holds a NUL or half a surrogate pair"),
        (route(name="n" * 129), ".routes[0].name: is longer than 128 characters"),
        (
            route(lifetime="soon"),
            ('.routes[0].lifetime: must be a date and time as ISO 8601, e.g. 2030-01-31T12:00:00Z, not "soon"'),
        ),
        (
            route(mirror_address="tcp://b"),
            (".routes[0].mirror_address: stands beside the address LOCAL; only a tcp: address has a mirror"),
        ),
        (
            route(address="tcp://a", mirror_address="LOCAL"),
            (".routes[0].mirror_address: must be tcp://HOST[:PORT], not LOCAL"),
        ),
    ],
)
def test_what_is_wrong_in_a_database_is_said_with_its_path(text: str, says: str) -> None:
    assert refusal(text) == f"e.json: $.instances[0].databases[0]{says}"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b'{"format": "\xff"}', "is not utf-8 text: invalid start byte at byte 12"),
        (estate().encode("utf-16-le")[:-1], "is not utf-16-le text: truncated data at byte 60"),
    ],
)
def test_what_is_no_text_is_refused_as_a_whole(source: bytes, says: str) -> None:
    assert refusal(source) == f"e.json: {says}"


def test_an_unknown_key_is_refused_with_the_known_ones() -> None:
    says = refusal(estate(hops=1))
    assert says.startswith('e.json: $: has the unknown key "hops"; known are format, ')
    assert "hop_limit, instances" in says


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("limit", "text", "path"),
    [
        ("MAX_INSTANCES", estate(instances=[{"name": name} for name in "abc"]), "$.instances[2]"),
        ("MAX_DATABASES", instance(databases=[{"name": name} for name in "abc"]), "$.instances[0].databases[2]"),
        ("MAX_OBJECTS", database(services=["S"]), "$.instances[0].databases[0].services[0]"),
    ],
)
def test_more_of_anything_than_any_estate_has_is_refused(
    limit: str, text: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estate_document, limit, 2)
    assert refusal(text) == f"e.json: {path}: is one too many: the limit is 2"


# ---------------------------------------------------------------- the canonical text


def test_one_route_or_service_stands_on_a_line() -> None:
    text = write_estate(read_estate(json.dumps(FULL)))
    lines = [line.strip(" ,]") for line in text.splitlines()]
    assert json.loads(text) == expanded(FULL)
    assert '{"name": "Ship", "queue": "dbo.ShipQueue", "contracts": ["C"]}' in lines
    assert sum(line.startswith('{"name": "R", "remote_service_name": null') for line in lines) == 1


def expanded(written: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with its defaults written, and the spellings that the canonical text has."""
    first, _ = written["instances"]
    (orders,) = first["databases"]
    queue = {"name": "dbo.ShipQueue", "enabled": True, "retention": False, "poison_handling": True}
    local = {"name": "R", "remote_service_name": None, "broker_instance": None, "lifetime": "2030-01-01T00:00:00Z"}
    mirrored = {"name": "M", "remote_service_name": None, "broker_instance": ID, "lifetime": None}
    database = {
        **orders,
        "broker_instance": ID,
        "queues": [{**queue, "activation": {"procedure": "dbo.p", "max_readers": 4, "enabled": True}}],
        "message_types": [{"name": "M", "validation": "WELL_FORMED_XML", "schema_collection": None}],
        "priorities": [{"name": "P", "contract_name": "C", **ANY_SERVICE, "priority_level": 9}],
        "remote_service_bindings": [{"name": "B", "remote_service_name": "S", "user": "u", "anonymous": False}],
        "routes": [
            {**local, "address": " LOCAL ", "mirror_address": None},
            {**mirrored, "address": "tcp://a", "mirror_address": "tcp://b"},
        ],
    }
    endpoint = {**first["endpoint"], "encryption": "REQUIRED", "authentication": "WINDOWS"}
    second = {"name": "host2", "addresses": [], "forwarding": False, "databases": []}
    return {**written, "instances": [{**first, "endpoint": endpoint, "databases": [database]}, second]}


ANY_SERVICE = {"local_service_name": None, "remote_service_name": None}


def test_an_empty_estate_is_written_on_two_lines() -> None:
    assert write_estate(Estate()) == '{"format": "brokerui.estate/1", "hop_limit": 10,\n "instances": []}\n'


def test_a_document_may_say_since_when_it_holds() -> None:
    estate_of_then = read_estate(json.dumps(FULL))
    moment = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
    text = write_estate(estate_of_then, valid_from=moment)
    assert read_version(text) == (moment, estate_of_then)
    assert read_estate(text) == estate_of_then
    assert read_version(write_estate(estate_of_then)) == (None, estate_of_then)
    assert refusal(estate(valid_from="yesterday")).startswith("e.json: $.valid_from: must be a date and time")


def test_half_a_surrogate_pair_is_no_host() -> None:
    assert "must be LOCAL, TRANSPORT or tcp:" in refusal(
        estate(instances=[{"name": "a", "addresses": ["tcp://\ud800"]}])
    )
