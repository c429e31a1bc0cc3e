"""A matrix as a few bytes of the database: JSON, compressed. What the estate says itself is not in it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from brokerui.analysis.reachability.matrix import Matrix
from routing.classes.reachability import FirstHopOutcome, NameReachability
from routing.classes.traffic_class import Node
from routing.rules.decision import DELAYED, DROPPED, EXITS, Outcome
from routing.rules.verdict import MAY_DELIVER, MIXED, MUST_DELIVER

LETTERS = {MUST_DELIVER: "m", MAY_DELIVER: "o", EXITS: "e", DELAYED: "d", DROPPED: "x", MIXED: "?"}
VERDICTS = {letter: verdict for verdict, letter in LETTERS.items()}
LEVEL = 3
"""A little larger than at 9, in a fraction of the time."""


def packed(matrix: Matrix) -> bytes:
    """All but the entry points and the names."""
    legs = {leg: number for number, leg in enumerate(dict.fromkeys(leg for _, _, leg in matrix.ways))}
    document = {
        "base": "".join(LETTERS[verdict] for verdict in matrix.base),
        "cells": matrix.cells,
        "rows": [[_grouped(row.cells), _grouped(row.nodes)] for row in matrix.rows],
        "legs": [[leg.via, *leg.end] for leg in legs],
        "ways": [value for node, name, leg in matrix.ways for value in (node, name, legs[leg])],
    }
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), LEVEL)


def unpacked(data: bytes, nodes: Sequence[Node], names: Sequence[str]) -> Matrix:
    """The matrix again, for the entry points and names that it was made of."""
    document = json.loads(zlib.decompress(data))
    legs = [FirstHopOutcome(via, Outcome(*end)) for via, *end in document["legs"]]
    flat = document["ways"]
    return Matrix(
        tuple(nodes),
        tuple(names),
        tuple(VERDICTS[letter] for letter in document["base"]),
        tuple(tuple(members) for members in document["cells"]),
        tuple(NameReachability(_ungrouped(cells), _ungrouped(those)) for cells, those in document["rows"]),
        tuple((flat[at], flat[at + 1], legs[flat[at + 2]]) for at in range(0, len(flat), 3)),
    )


def _grouped(verdicts: Mapping[int, str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, verdict in verdicts.items():
        found.setdefault(LETTERS[verdict], []).append(number)
    return found


def _ungrouped(groups: dict[str, Any]) -> dict[int, str]:
    return {number: VERDICTS[letter] for letter, numbers in groups.items() for number in numbers}
