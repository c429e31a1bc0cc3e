"""Ciphers for tests, from the standard library alone and safe in nothing but that they compute the right thing.

`Exact` is what the format names, X25519 and ChaCha20-Poly1305 as their RFCs write them down, and slow. `Quick` has the
same curve, and for tests of many bodies a cipher of hashes: a SHAKE-256 stream, HMAC-SHA256 of header and sealed body.
"""

from __future__ import annotations

import hmac
from functools import cache
from hashlib import sha256, shake_256
from struct import pack, unpack

from routing.adjacent.guard import BytesLike

P = 2**255 - 19
A24 = 121665
BASE = (9).to_bytes(32, "little")


@cache
def x25519(private: bytes, public: bytes) -> bytes:
    """RFC 7748, section 5."""
    scalar = int.from_bytes(bytes([private[0] & 248, *private[1:31], private[31] & 127 | 64]), "little")
    u = int.from_bytes(public, "little") & (1 << 255) - 1
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for at in reversed(range(255)):
        bit = scalar >> at & 1
        if swap != bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a % P, b * b % P, d * a % P, c * b % P
        e = aa - bb
        x3, z3 = (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, e * (aa + A24 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


class Curve:
    def exchange(self, private: bytes, public: bytes) -> bytes | None:
        secret = x25519(private, public)
        return secret if any(secret) else None


# ------------------------------------------------------------------------------------------------ RFC 8439
def _turned(value: int, by: int) -> int:
    return (value << by | value >> 32 - by) & 0xFFFFFFFF


def _quarter(s: list[int], a: int, b: int, c: int, d: int) -> None:
    for by in ((16, 12), (8, 7)):
        s[a] = s[a] + s[b] & 0xFFFFFFFF
        s[d] = _turned(s[d] ^ s[a], by[0])
        s[c] = s[c] + s[d] & 0xFFFFFFFF
        s[b] = _turned(s[b] ^ s[c], by[1])


def chacha20(key: bytes, counter: int, nonce: bytes, size: int) -> bytes:
    stream = b""
    while len(stream) < size:
        state = [*unpack("<4I", b"expand 32-byte k"), *unpack("<8I", key), counter, *unpack("<3I", nonce)]
        s = state.copy()
        for _ in range(10):
            for at in range(4):
                _quarter(s, at, at + 4, at + 8, at + 12)
            for at in range(4):
                _quarter(s, at, (at + 1) % 4 + 4, (at + 2) % 4 + 8, (at + 3) % 4 + 12)
        stream += pack("<16I", *((one + other) & 0xFFFFFFFF for one, other in zip(s, state, strict=True)))
        counter += 1
    return stream[:size]


def poly1305(key: bytes, message: bytes) -> bytes:
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\1", "little")) * r % (2**130 - 5)
    return ((total + int.from_bytes(key[16:], "little")) % 2**128).to_bytes(16, "little")


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


class ChaCha20Poly1305:
    def __init__(self, key: bytes) -> None:
        self.key = key

    def seal(self, nonce: bytes, body: BytesLike, header: bytes) -> bytes:
        text = _xor(bytes(body), chacha20(self.key, 1, nonce, len(body)))
        return text + self._tag(nonce, text, header)

    def open(self, nonce: bytes, sealed: BytesLike, header: bytes) -> bytes | None:
        text, tag = bytes(sealed[:-16]), bytes(sealed[-16:])
        if tag != self._tag(nonce, text, header):
            return None
        return _xor(text, chacha20(self.key, 1, nonce, len(text)))

    def _tag(self, nonce: bytes, text: bytes, header: bytes) -> bytes:
        padded = b"".join(piece + bytes(-len(piece) % 16) for piece in (header, text))
        return poly1305(chacha20(self.key, 0, nonce, 32), padded + pack("<2Q", len(header), len(text)))


class Exact(Curve):
    def aead(self, key: bytes) -> ChaCha20Poly1305:
        return ChaCha20Poly1305(key)


# ------------------------------------------------------------------------------------------------ quick
class Hashes:
    def __init__(self, key: bytes) -> None:
        self.stream_key = hmac.digest(key, b"stream", "sha256")
        self.tag_key = hmac.digest(key, b"tag", "sha256")

    def seal(self, nonce: bytes, body: BytesLike, header: bytes) -> bytes:
        text = self._turned(nonce, bytes(body))
        return text + self._tag(nonce, text, header)

    def open(self, nonce: bytes, sealed: BytesLike, header: bytes) -> bytes | None:
        text, tag = bytes(sealed[:-16]), bytes(sealed[-16:])
        return self._turned(nonce, text) if hmac.compare_digest(tag, self._tag(nonce, text, header)) else None

    def _turned(self, nonce: bytes, text: bytes) -> bytes:
        stream = shake_256(self.stream_key + nonce).digest(len(text))
        size = len(text)
        return (int.from_bytes(text, "big") ^ int.from_bytes(stream, "big")).to_bytes(size, "big")

    def _tag(self, nonce: bytes, text: bytes, header: bytes) -> bytes:
        tag = hmac.new(self.tag_key, nonce + len(header).to_bytes(4, "big") + header, sha256)
        tag.update(text)
        return tag.digest()[:16]


class Quick(Curve):
    def aead(self, key: bytes) -> Hashes:
        return Hashes(key)
