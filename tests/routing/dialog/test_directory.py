"""What a database lets its services send, and what it takes."""

from __future__ import annotations

from itertools import product

import pytest

from routing.dialog.directory import Directory, Objection
from routing.dialog.priority import PriorityTable
from routing.dialog.problems import VerbError
from routing.dialog.system_names import END_DIALOG_TYPE
from routing.model.catalog_objects import Contract, ContractMessage, MessageType, Priority, Service

CONTRACT = Contract(
    "C",
    (
        ContractMessage("Ask", "INITIATOR"),
        ContractMessage("Tell", "TARGET"),
        ContractMessage("Ping", "ANY"),
        ContractMessage("Empty", "ANY"),
        ContractMessage("Xml", "ANY"),
        ContractMessage("Gone", "ANY"),
    ),
)
TYPES = (
    MessageType("Ask"),
    MessageType("Tell"),
    MessageType("Ping"),
    MessageType("Other"),
    MessageType("Empty", "EMPTY"),
    MessageType("Xml", "WELL_FORMED_XML"),
)
HERE = Directory(
    "db",
    "id",
    [Service("S", "dbo.Q", ("C",)), Service("Bare"), Service("Both", None, ("C", "DEFAULT"))],
    [CONTRACT],
    TYPES,
    [Priority("p", "C", None, None, 9)],
)


def test_a_service_has_the_queue_that_it_names_or_one_of_its_own_name() -> None:
    assert HERE.has_service("S")
    assert not HERE.has_service("s")
    assert (HERE.queue("S"), HERE.queue("Bare")) == ("dbo.Q", "Bare")


def test_validation_of_a_type() -> None:
    assert [HERE.validation(name) for name in ("Xml", "Ask", "DEFAULT", END_DIALOG_TYPE)] == [
        "WELL_FORMED_XML",
        "NONE",
        "NONE",
        "NONE",
    ]


@pytest.mark.parametrize(
    ("service", "contract", "number"),
    [("S", "C", None), ("S", "DEFAULT", None), ("X", "C", 8423), ("S", "X", 8425)],
)
def test_beginning(service: str, contract: str, number: int | None) -> None:
    if number is None:
        HERE.check_beginning(service, contract)
        return
    with pytest.raises(VerbError) as caught:
        HERE.check_beginning(service, contract)
    assert caught.value.number == number


@pytest.mark.parametrize(
    ("contract", "message_type", "is_initiator", "number"),
    [
        ("C", "Ask", True, None),
        ("C", "Ask", False, 8434),
        ("C", "Tell", True, 8432),
        ("C", "Tell", False, None),
        ("C", "Ping", True, None),
        ("C", "Ping", False, None),
        ("C", "Other", True, 8431),
        ("C", "Nothing", True, 8428),
        ("C", END_DIALOG_TYPE, True, 8428),
        ("C", "DEFAULT", True, 8431),
        ("DEFAULT", "DEFAULT", True, None),
        ("DEFAULT", "DEFAULT", False, None),
        ("Dropped", "Ask", True, 8431),
    ],
)
def test_sending(contract: str, message_type: str, is_initiator: bool, number: int | None) -> None:
    if number is None:
        HERE.check_sending(contract, message_type, is_initiator)
        return
    with pytest.raises(VerbError) as caught:
        HERE.check_sending(contract, message_type, is_initiator)
    assert caught.value.number == number


@pytest.mark.parametrize(
    ("service", "contract", "identified", "reason", "to_sender"),
    [
        ("X", "C", True, 11210, 8490),
        ("X", "C", False, 11210, 0),
        ("S", "X", False, 11214, 8425),
        ("S", "DEFAULT", False, 11214, 8408),
        ("Bare", "C", False, 11214, 8408),
    ],
)
def test_a_conversation_that_cannot_begin_here(
    service: str, contract: str, identified: bool, reason: int, to_sender: int
) -> None:
    objection = HERE.objection_to_first(service, contract, identified)
    assert objection
    assert (objection.reason, objection.to_sender) == (reason, to_sender)


@pytest.mark.parametrize(("service", "contract"), [("S", "C"), ("Bare", "DEFAULT"), ("Both", "DEFAULT"), ("Both", "C")])
def test_a_conversation_that_can(service: str, contract: str) -> None:
    assert HERE.objection_to_first(service, contract, identified=False) is None


@pytest.mark.parametrize(
    ("message_type", "body", "from_initiator", "numbers"),
    [
        ("Ask", b"x", True, None),
        ("Tell", b"x", False, None),
        ("Ping", None, True, None),
        ("Ping", None, False, None),
        ("Ask", b"x", False, (11228, 8437, 8437)),
        ("Tell", b"x", True, (11227, 8457, 8457)),
        ("Other", b"x", True, (11226, 8498, 8498)),
        ("Nothing", b"x", True, (11225, 8428, 8428)),
        ("Gone", b"x", True, (11225, 8428, 8428)),
        ("Empty", None, True, None),
        ("Empty", b"", True, None),
        ("Empty", b"x", True, (8430, 8430, 8430)),
        ("Xml", b"<a/>", True, None),
        ("Xml", b"<a>", True, (9704, 9615, 9616)),
    ],
)
def test_taking(
    message_type: str, body: bytes | None, from_initiator: bool, numbers: tuple[int, int, int] | None
) -> None:
    expected = Objection(*numbers, {"message_type": message_type}) if numbers else None
    assert HERE.objection("C", message_type, body, from_initiator) == expected


def test_the_default_type_is_in_the_default_contract_alone() -> None:
    assert HERE.objection("DEFAULT", "DEFAULT", b"x", True) is None
    assert HERE.objection("C", "DEFAULT", b"x", True) is not None


# ---------------------------------------------------------------- priorities

ORDER = [("C", "L", "R"), ("C", "L", None), ("C", None, "R"), ("C", None, None)]
ORDER += [(None, "L", "R"), (None, "L", None), (None, None, "R"), (None, None, None)]


def test_the_best_match_is_the_first_of_the_products_order() -> None:
    """The better of any two rows that match, in whichever order they were made."""
    for first, second in product(ORDER, repeat=2):
        rows = [Priority(str(number), *pattern, number + 1) for number, pattern in enumerate((first, second))]
        best = min((first, second), key=ORDER.index)
        expected = 1 if best == first else 2
        assert PriorityTable(rows).level("C", "L", "R") == expected


def test_without_a_match_it_is_5() -> None:
    assert PriorityTable().level("C", "L", "R") == 5
    rows = [Priority(str(n), *pattern, 9) for n, pattern in enumerate(ORDER[:-1])]
    assert PriorityTable(rows).level("c", "l", "r") == 5


def test_a_directory_finds_the_priority_of_its_endpoints() -> None:
    assert (HERE.priority("C", "S", "T"), HERE.priority("DEFAULT", "S", "T")) == (9, 5)
