"""The package's ciphers compute what the standard says, and what the naive ones of the tests do."""

from __future__ import annotations

import random

from brokerui.messaging.keys.cipher import OpenSsl
from tests.routing.security.ciphers import Exact, Quick

SEED = 20261120


def test_they_agree_with_those_that_were_written_from_the_standard() -> None:
    choices, openssl = random.Random(SEED), OpenSsl()
    for size in (0, 1, 15, 16, 17, 63, 64, 65, 1000):
        key, nonce, header = choices.randbytes(32), choices.randbytes(12), choices.randbytes(size % 40)
        body = choices.randbytes(size)
        sealed = openssl.aead(key).seal(nonce, body, header)
        assert sealed == Exact().aead(key).seal(nonce, body, header)
        assert openssl.aead(key).open(nonce, sealed, header) == body
        assert openssl.aead(key).open(nonce, sealed, header + b"x") is None
        assert openssl.aead(key).open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), header) is None


def test_two_key_pairs_share_a_secret_as_the_standard_has_it() -> None:
    choices, openssl = random.Random(SEED), OpenSsl()
    private, public = choices.randbytes(32), choices.randbytes(32)
    assert openssl.exchange(private, public) == Quick().exchange(private, public)


def test_a_public_key_of_low_order_shares_nothing() -> None:
    assert OpenSsl().exchange(random.Random(SEED).randbytes(32), bytes(32)) is None
