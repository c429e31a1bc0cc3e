"""Full accounts of journeys on the large estate, forth and back, beside their bare outcomes.

.venv/bin/python benchmarks/routing/explaining.py
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import AT, best, claim, large_document, settle
from benchmarks.estates import conversations, large_estate
from brokerui.analysis.explanations.as_json import explanation_as_json
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import explain
from routing.rules.journey import outcomes

ASKED = 2_000


def _written(estate: Estate, conversation: Conversation) -> Any:
    return explanation_as_json(explain(estate, conversation, AT), estate, str)


def main() -> int:
    estate = read_estate(large_document().read_bytes())
    questions = [conversation_from(one) for one in conversations(large_estate(), ASKED)]
    settle()
    accounts = [best(1, partial(explain, estate, one, AT))[0] * 1000 for one in questions]
    again = [best(2, partial(explain, estate, one, AT))[0] * 1000 for one in questions]
    written = [best(1, partial(_written, estate, one))[0] * 1000 for one in questions]
    bare = median(best(1, partial(outcomes, estate, one, AT))[0] for one in questions) * 1000
    late = quantiles(accounts, n=100)[98]
    kept = [
        claim("explain, median", median(accounts), 5, "ms", f"{median(accounts) / bare:.0f} times the bare outcomes"),
        claim("explain, 99 of 100", late, 5, "ms", f"the slowest of {ASKED:,}: {max(again):.2f} ms when asked again"),
        claim("explain written as JSON, median", median(written), 5, "ms"),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
