"""Decisions a second on the large estate, by the public door (`routing.rules.router.route`) with the trace off.

.venv/bin/python benchmarks/routing/deciding.py [--count 300000]
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import AT, best, claim, large_document, settle
from benchmarks.estates import conversations, large_estate
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.router import route
from tests.naive import outcomes as naive_outcomes

NAIVE = 100
"""Conversations for the naive evaluator, which looks at every route and address."""


def decide_all(estate: Estate, conversations: list[Conversation]) -> None:
    for conversation in conversations:
        route(estate, conversation, AT)


def rate(count: int, seconds: float) -> float:
    return count / seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300_000)
    count = parser.parse_args().count
    document = large_estate()
    questions = conversations(document, count)
    parsed = [conversation_from(one) for one in questions]
    content = large_document().read_bytes()
    firsts = []
    for _ in range(3):  # a fresh estate each time: nothing is remembered of earlier decisions
        estate = read_estate(content)
        settle()
        firsts.append(best(1, partial(decide_all, estate, parsed))[0])
    warm, _ = best(3, lambda: decide_all(estate, parsed))
    began = time.perf_counter()
    for one in questions[:NAIVE]:
        naive_outcomes(document, one, AT)
    naive = rate(NAIVE, time.perf_counter() - began)
    peer = f"{rate(count, min(firsts)) / naive:,.0f} times the naive evaluator ({naive:,.0f}/s, whole journeys)"
    kept = [
        claim("decisions, first pass", rate(count, min(firsts)), 300_000, "/s", peer, at_least=True),
        claim("decisions, warm", rate(count, warm), 300_000, "/s", at_least=True),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
