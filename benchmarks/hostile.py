"""Hostile documents: peak memory as a multiple of the file, seconds, and the answer, for each kind.

    .venv/bin/python benchmarks/hostile.py [--megabytes 64]

The claim: a correct answer or one clear error, at most 12 times the file in memory, and no hang. Each document is read
in a process of its own, as the commands read files.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate, takewhile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.claims import child, claim, megabytes, peak_megabytes
from brokerui.cli.inputs import load_estate
from routing.common.errors import InputError

START = '{"format": "brokerui.estate/1", "instances": ['
DATABASE = START + '{"name": "a", "databases": [{"name": "d", '
LARGEST = 64 << 20
MOST = 999_000
"""Objects, a little fewer than a document of this size may have."""


def repeated(before: str, piece: str) -> Callable[[int], bytes]:
    """A document that begins so, and goes on with the same until it is large enough."""
    return lambda size: (before + piece * ((size - len(before)) // len(piece) + 1)).encode()[:size]


def counted(before: str, piece: str, after: str, most: int = MOST) -> Callable[[int], bytes]:
    """Many small objects with different names, and white space up to the size: nothing is wrong with it.

    A smaller document has as many objects fewer, so that it is as crowded as the largest.
    """

    def make(size: int) -> bytes:
        room = size - len(before) - len(after)
        pieces = (piece.replace("#", format(number, "x")) + "," for number in range(max(1, most * size // LARGEST)))
        ends = accumulate(map(len, pieces))
        objects = sum(1 for _ in takewhile(lambda end: end < room, ends))
        text = ",".join(piece.replace("#", format(number, "x")) for number in range(objects))
        return f"{before}{text}{after}".ljust(size).encode()

    return make


DATABASES = '{"name": "d", "databases": [' + ",".join(f'{{"name":"{number}"}}' for number in range(32_000)) + "]}"
KINDS: dict[str, Callable[[int], bytes]] = {
    "nested arrays": repeated("", "["),
    "nested objects": repeated("", '{"a":'),
    "nested arrays in a leaf": repeated(START + '{"name": ', "["),
    "an array of empty arrays": repeated(START, "[],"),
    "an array of numbers": repeated(START, "0,"),
    "an endless string": repeated(START + '{"name": "', "x"),
    "an endless string of escapes": repeated(START + '{"name": "', "\\ud83d\\ude00"),
    "an endless number": repeated('{"hop_limit": ', "9"),
    "an endless key": repeated('{"', "k"),
    "the same key again and again": repeated("{", '"hop_limit": 1,'),
    "nothing but white space": repeated("", " \n"),
    "nothing but NULs": lambda size: b"\0" * size,
    "nothing but byte order marks": lambda size: b"\xef\xbb\xbf" * (size // 3),
    "bytes that are no text": lambda size: b"\xff" * size,
    "random bytes": lambda size: bytes(range(256)) * (size // 256),
    "UTF-16 without end": lambda size: (START + " " * (size // 2 - len(START))).encode("utf-16-le"),
    "UTF-32 white space": lambda size: (" " * (size // 4)).encode("utf-32-le"),
    "an array of addresses": repeated(START + '{"name": "a", "addresses": [', '"tcp://a",'),
    "instances without end": counted(START, '{"name":"#"}', "]}", 10**9),
    "services without end": counted(DATABASE + '"services": [', '"#"', "]}]}]}", 10**9),
    "a million services": counted(DATABASE + '"services": [', '"#"', "]}]}]}"),
    "a million services as objects": counted(DATABASE + '"services": [', '{"name":"#"}', "]}]}]}"),
    "a million routes": counted(DATABASE + '"routes": [', '{"name":"#","address":"LOCAL"}', "]}]}]}"),
    "a million routes to as many services": counted(
        DATABASE + '"routes": [', '{"name":"#","remote_service_name":"#","address":"LOCAL"}', "]}]}]}"
    ),
    "routes to as many services by identifier": counted(
        DATABASE + '"routes": [',
        '{"name":"#","remote_service_name":"#","broker_instance":"6f3f0d5e-0000-4000-8000-000000000001",'
        '"address":"tcp://#"}',
        "]}]}]}",
    ),
    "a million contracts": counted(DATABASE + '"contracts": [', '{"name":"#"}', "]}]}]}"),
    "a million queues": counted(DATABASE + '"queues": [', '{"name":"#"}', "]}]}]}"),
    "a million addresses": counted(DATABASE + '"routes": [', '{"name":"#","address":"tcp://#"}', "]}]}]}"),
    "a hundred thousand instances": counted(START, '{"name":"#"}', "]}", 99_000),
    "a million databases": counted(START, DATABASES.replace('"d"', '"i#"'), "]}", 31),
}


def read(path: str, size: str) -> dict[str, object]:
    """Reads one document; the memory is what reading added."""
    before = megabytes()
    began = time.perf_counter()
    try:
        answer = f"{sum(len(i.databases) for i in load_estate(path, int(size)).instances.values())} databases"
    except InputError as error:
        answer = str(error).removeprefix(f"{path}: ")
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "answer": answer, "megabytes": peak_megabytes() - before}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=64)
    size = parser.parse_args().megabytes << 20
    kept = []
    for kind, make in KINDS.items():
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(make(size))
            file.flush()
            found = child("benchmarks.hostile:read", file.name, size)
        peer = f"{found['seconds']:.2f} s; {found['answer'][:90]}"
        kept.append(
            claim(kind, found["megabytes"] / (size >> 20), 12, "times the file", peer) and found["seconds"] < 60
        )
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
