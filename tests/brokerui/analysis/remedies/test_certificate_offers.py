"""Commands for endpoints that do not let each other in."""

from __future__ import annotations

import pytest

from brokerui.analysis.remedies.certificate_offers import certificate_offer, refusal_of
from routing.model.conversation import Conversation
from routing.rules.explanation import explain
from tests.routing.lint.estates import AT, db, estate, route, server


@pytest.mark.parametrize(
    ("number", "text", "command"),
    [
        (9751, "the certificate of the peer is refused: certificate is not yet valid; look", "openssl x509 -in"),
        (9751, "the certificate of the peer is refused: certificate has expired; look", "-startdate -enddate"),
        (9751, "…: unable to get local issuer certificate", 'cat PEER_AUTHORITY >> "$ENDPOINT_AUTHORITY"'),
        (9758, "the certificate x may not connect as a", "-subj /CN=a -addext subjectAltName=DNS:a,DNS:z -out"),
        (9758, "the connection was closed", ""),
        (9754, "the certificate has expired", ""),
    ],
)
def test_endpoints_that_do_not_let_each_other_in_have_a_command(number: int, text: str, command: str) -> None:
    where = estate(server("a", db("D", route("R", "Ship", "tcp://b:4022"), services=("Own",))))
    explanation = explain(where, Conversation("a", "D", "Ship"), AT)
    offer = certificate_offer(explanation, refusal_of(number, text), {"z", "a"})
    assert (offer is not None) == bool(command)
    if offer is not None:
        assert command in offer.sql
        assert (offer.is_command, offer.is_tried, offer.is_edits) == (True, False, False)
        assert "routing" in str(offer.says[0])
