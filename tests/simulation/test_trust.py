"""Keys in worlds: which side can decrypt which message, and the cipher that stands in for a real one."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from brokerui.messaging.keys.cipher import OpenSsl
from routing.adjacent.guard import SEALED, TAG_BYTES
from routing.simulation.chance import Chance
from routing.simulation.checkers import CHECKERS
from routing.simulation.checking import check
from routing.simulation.cipher import SIMULATED_CIPHER, SimulatedAead, key_pair_of
from routing.simulation.records import FrameSent
from routing.simulation.trust import KeyBinding, Trust
from routing.simulation.world import draw_world
from routing.simulation.world_run import run_world
from tests.extent import IS_ALL

NONCE = bytes(12)


class Real(OpenSsl):
    """The cipher that is used outside of worlds."""

    def public(self, private: bytes) -> bytes:
        return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def test_promises_are_kept_with_the_real_cipher() -> None:
    seeds = [seed for seed in range(150) if draw_world(seed).encrypted and draw_world(seed).trust.bindings]
    sealed = 0
    for seed in seeds[: 20 if IS_ALL else 7]:
        history = run_world(draw_world(seed), Real())
        assert check(history, CHECKERS).violations == [], seed
        left = (one for one in history.records if isinstance(one, FrameSent) and one.protection)
        sealed += sum(one.protection is not None and one.protection.integrity == SEALED for one in left)
    assert sealed > 30


def test_two_share_a_secret_that_no_third_one_has() -> None:
    one, other, third = (key_pair_of(SIMULATED_CIPHER, name) for name in "abc")
    shared = SIMULATED_CIPHER.exchange(one.private, other.public)
    assert shared == SIMULATED_CIPHER.exchange(other.private, one.public)
    assert len({shared, SIMULATED_CIPHER.exchange(third.private, other.public), one.public, other.public}) == 4


@pytest.mark.parametrize("size", [0, 1, 7, 4000])
def test_what_is_sealed_opens_with_its_key_alone(size: int) -> None:
    body = Chance(size).randbytes(size)
    sealed = SimulatedAead(b"key").seal(NONCE, body, b"header")
    assert len(sealed) == size + TAG_BYTES
    assert size < 7 or body not in sealed
    assert SimulatedAead(b"key").open(NONCE, memoryview(sealed), b"header") == body
    assert SimulatedAead(b"another").open(NONCE, sealed, b"header") is None
    assert SimulatedAead(b"key").open(bytes(11) + b"x", sealed, b"header") is None
    assert SimulatedAead(b"key").open(NONCE, sealed, b"heade") is None


def test_each_bit_counts() -> None:
    sealed = SimulatedAead(b"key").seal(NONCE, b"some body", b"header")
    for bit in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[bit // 8] ^= 1 << bit % 8
        assert SimulatedAead(b"key").open(NONCE, bytes(changed), b"header") is None


BOUND = (KeyBinding("i", "T", "t"),)
BOTH = frozenset("it")
KNOWN = frozenset({("t", "i")})


@pytest.mark.parametrize(
    ("trust", "plain", "sealed"),
    [
        (Trust(), True, False),
        (Trust(BOTH, BOUND, KNOWN), True, True),
        (Trust(BOTH, BOUND), False, False),
        (Trust(frozenset("t"), BOUND, KNOWN), True, False),
        (Trust(frozenset("i"), BOUND, KNOWN), False, False),
        (Trust(BOTH, (KeyBinding("i", "T", "x"),), KNOWN), False, False),
        (Trust(BOTH, (KeyBinding("i", "another", "t"),), KNOWN), True, False),
    ],
)
def test_who_can_open_what(trust: Trust, plain: bool, sealed: bool) -> None:
    assert trust.lets_through("i", "T", "t", encryption=False) == plain
    assert trust.lets_through("i", "T", "t", encryption=True) == sealed
