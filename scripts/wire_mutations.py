"""Changes of good bytes of the wire, drawn at random."""

from __future__ import annotations

import random
from collections.abc import Sequence

EDGES = [
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    90,
    91,
    127,
    128,
    255,
    256,
    1023,
    1024,
    65535,
    65536,
    70288,
    1 << 20,
    1 << 22,
    1 << 31,
]


def changed(raw: bytes, chance: random.Random) -> bytes:
    """Some bytes with one to eight faults."""
    data = bytearray(raw)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        at = chance.randrange(len(data) + 1)
        draw = chance.randrange(7)
        if draw == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif draw == 1 and at < len(data):
            data[at] = chance.choice([0, 1, 127, 128, 255, chance.randrange(256)])
        elif draw == 2:
            del data[at : at + chance.choice([1, 2, 4, 16, 200])]
        elif draw == 3:
            data[at:at] = chance.randbytes(chance.choice([1, 2, 4, 16]))
        elif draw == 4:
            data[at:at] = data[at : at + chance.randrange(64)]
        elif draw == 5:
            size = chance.choice([1, 2, 4, 8])
            data[at : at + size] = (chance.choice(EDGES) % (1 << 8 * size)).to_bytes(size, "big")
        elif len(data) >= 4:  # lengths that fit again, so that what stands behind them is read
            data[:4] = max(len(data) - chance.choice([4, 4, 4, 5]), 0).to_bytes(4, "big")
    return bytes(data)


def drawn(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    draw = chance.randrange(20)
    if draw == 0:
        return chance.randbytes(chance.choice([0, 3, 5, 90, 200, 2000]))
    raw = b"".join(chance.choices(seeds, k=chance.choice([1, 1, 2, 4])))
    if draw == 1:
        return raw[: chance.randrange(len(raw) + 1)]
    return raw if draw == 2 else changed(raw, chance)


def cut(raw: bytes, chance: random.Random) -> list[bytes]:
    if chance.randrange(30) == 0:
        return [raw[at : at + 1] for at in range(min(len(raw), 400))]
    cuts = sorted(chance.randrange(len(raw) + 1) for _ in range(chance.randrange(6)))
    return [raw[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
