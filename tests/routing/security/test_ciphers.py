"""The ciphers of the tests compute what their RFCs say; the quick one authenticates as well."""

from __future__ import annotations

from tests.routing.security.ciphers import BASE, Exact, Hashes, Quick, x25519


def test_the_curve_is_that_of_rfc_7748() -> None:
    private = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    public = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    assert x25519(private, public).hex() == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    assert x25519(BASE, BASE).hex() == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    assert Quick().exchange(private, bytes(32)) is None


def test_the_cipher_is_that_of_rfc_8439() -> None:
    aead = Exact().aead(bytes(range(0x80, 0xA0)))
    nonce = bytes.fromhex("070000004041424344454647")
    header = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    body = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
        b"sunscreen would be it."
    )
    sealed = aead.seal(nonce, body, header)
    assert sealed[:16].hex() == "d31a8d34648e60db7b86afbc53ef7ec2"
    assert sealed[-16:].hex() == "1ae10b594f09e26a7e902ecbd0600691"
    assert aead.open(nonce, sealed, header) == body
    assert aead.open(nonce, sealed, header + b"\0") is None


def test_the_quick_cipher_opens_only_what_it_sealed() -> None:
    aead = Hashes(b"k" * 32)
    for body in (b"", b"\0\0hello"):
        sealed = aead.seal(b"n" * 12, body, b"header")
        assert aead.open(b"n" * 12, sealed, b"header") == body
        for nonce, given, header in (
            (b"m" * 12, sealed, b"header"),
            (b"n" * 12, sealed[:-1] + bytes([sealed[-1] ^ 1]), b"header"),
            (b"n" * 12, bytes([sealed[0] ^ 1]) + sealed[1:], b"header"),
            (b"n" * 12, sealed, b"heade"),
        ):
            assert aead.open(nonce, given, header) is None
        assert Hashes(b"l" * 32).open(b"n" * 12, sealed, b"header") is None
