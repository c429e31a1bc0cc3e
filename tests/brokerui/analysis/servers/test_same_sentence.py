"""A collected row with a status has the sentence of cause that a hosted conversation with the same status has."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from brokerui.analysis.monitoring.wording import cause_words
from routing.dialog.status_catalogue import BY_NUMBER, CATALOGUE
from routing.dialog.status_kind import StatusKind
from routing.lint.collected import status_meaning
from routing.lint.linted_objects import HostedDatabase
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.estate import Database, Estate, Instance

AT = datetime(2026, 11, 24, 8, 37, tzinfo=UTC)
STOCK = Database("Stock")
SERVER = Instance("sqlprod02", {"Stock": STOCK})
KINDS = [kind for kind in CATALOGUE if kind.signs and BY_NUMBER[kind.number] is kind]
"""All texts, but the second ones of a number that has two (9666)."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.number))
def test_the_text_of_a_server_and_the_number_of_a_hosted_row_say_the_same(kind: StatusKind) -> None:
    row = TransmissionSum(3, " … ".join(kind.signs).capitalize(), "//shop/Mine", "//shop/Stock")
    estate = Estate({SERVER.name: SERVER})
    meaning = status_meaning(estate, HostedDatabase(SERVER, STOCK), CollectedTransmissions(AT, (row,)), row, AT)
    assert meaning.number is not None
    assert str(meaning.cause) == cause_words(meaning.number)
