"""What the tests of the wire share: a message, and the vectors of docs/reference/wire.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from routing.adjacent.fragment import (
    END,
    ERROR,
    INITIATOR,
    UNSEQUENCED,
    AckRange,
    Header,
)
from routing.adjacent.fragment_names import FragmentNames

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference" / "wire.md"
CONVERSATION = UUID("c0c0c0c0-0000-4000-8000-000000000001").bytes
MESSAGE = UUID("a0a0a0a0-0000-4000-8000-000000000002").bytes
TARGET = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
NAMES = FragmentNames("//x/Target", "//x/Initiator", "//x/Contract", "//x/Request", TARGET)
HEADER = Header(CONVERSATION, MESSAGE, NAMES, INITIATOR, sequence=3, time_to_live=60_000, hops_remaining=10)

_BLOCK = re.compile(r"```text\n([a-z0-9]+): (.+)\n((?:.+\n)+?)hex:\n((?: +[0-9a-f ]+\n)+)```")
_FLAGS = {"initiator": INITIATOR, "unsequenced": UNSEQUENCED, "end": END, "error": ERROR}


class Vector:
    def __init__(self, kind: str, title: str, fields: str, digits: str) -> None:
        self.kind = kind
        self.title = title
        self.fields = {name: text for name, _, text in (line.partition(": ") for line in fields.splitlines())}
        self.raw = bytes.fromhex(digits)

    def header(self) -> Header:
        given = self.fields
        return Header(
            UUID(given["conversation id"]).bytes,
            UUID(given["message id"]).bytes,
            FragmentNames(
                given["to service"],
                given["from service"],
                given.get("contract", ""),
                given.get("message type", ""),
                given.get("to broker instance"),
                given.get("from broker instance"),
            ),
            sum(_FLAGS[word] for word in given.get("flags", "").split()),
            int(given["sequence"]),
            int(given["time to live"]),
            int(given["hops remaining"]),
            int(given.get("fragment", 0)),
            int(given.get("fragments", 1)),
            tuple(AckRange(*map(int, re.findall(r"\d+", text))) for text in given.get("acknowledged", "").split()),
            int(given.get("time consumed", 0)),
        )

    def body(self) -> bytes:
        return bytes.fromhex(self.fields.get("body", ""))


def vectors(kind: str) -> Iterator[Vector]:
    for block in _BLOCK.findall(DOCUMENT.read_text(encoding="utf-8")):
        if block[0] == kind:
            yield Vector(*block)
