"""Conditions of the verdicts of pairs: unknown facts, missing statements, the sender's own machine.

Pure: imports only `routing` and the words of explanations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import datetime

from brokerui.analysis.explanations.local_address import is_local, local_sentence
from brokerui.analysis.explanations.missing_statements import missing_anywhere
from brokerui.analysis.explanations.outcome_wording import if_it_is
from brokerui.analysis.reachability.matrix import Matrix
from routing.common.sentence import Sentence, say, say_counted
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.rules.suppositions import Supposition, suppositions

MOST = 300
"""Pairs of one page for which unknown facts are tried, under a millisecond each; of more, only the first."""
Pair = tuple[int, int]
"""Numbers of the entry point and of the name."""


@dataclass(frozen=True)
class Caveats:
    """The sentences that belong beside the verdicts of some pairs."""

    hanging: Mapping[Pair, Supposition]
    """Pairs that would be delivered if an identifier or a mirroring role were the right one, which is not known."""
    local: Mapping[Pair, Outcome]
    """Pairs that leave the estate for an address of the sender's own machine."""
    missing: tuple[Sentence, ...]


def caveats_of(matrix: Matrix, estate: Estate, at: datetime, pairs: Set[Pair]) -> Caveats:
    """The caveats of these pairs, as far as a route names them."""
    ends: dict[Pair, set[Outcome]] = {}
    for node, name, leg in matrix.ways:
        if (node, name) in pairs:
            ends.setdefault((node, name), set()).add(leg.end)
    hanging = dict(_hanging(matrix, estate, at, ends))
    local = {pair: end for pair, of_pair in ends.items() for end in of_pair if is_local(end)}
    return Caveats(hanging, local, tuple(missing_anywhere(estate)))


def _hanging(
    matrix: Matrix, estate: Estate, at: datetime, ends: Mapping[Pair, set[Outcome]]
) -> Iterator[tuple[Pair, Supposition]]:
    left = MOST
    for (node, name), outcomes in ends.items():
        if left and _may_be_unknown(estate, matrix.names[name]):
            left -= 1
            conversation = Conversation(*matrix.nodes[node], matrix.names[name])
            if supposed := suppositions(estate, conversation, at, outcomes):
                yield (node, name), supposed[0]


def _may_be_unknown(estate: Estate, name: str) -> bool:
    """Whether a database that has the service has an identifier or role that is not known."""
    found = (one for instance in estate.instances.values() for one in instance.targets.get(name, ()))
    return any(one.broker_instance is None or one.mirroring_role is None for one in found)


def caveats_say(caveats: Caveats, matrix: Matrix, estate: Estate) -> Iterator[Sentence]:
    """A sentence about the pairs that hang on unknown facts, one about local addresses, and the missing statements."""
    if caveats.hanging:
        (node, name), supposed = next(iter(caveats.hanging.items()))
        yield say_counted(
            len(caveats.hanging),
            "{count} pair that does not arrive hangs on an identifier or a mirroring role that is not known; {pair}:"
            " {supposed}",
            "{count} pairs that do not arrive hang on an identifier or a mirroring role that is not known; {pair}:"
            " {supposed}",
            pair=_called(matrix, node, name),
            supposed=next(if_it_is(supposed)),
        )
    if caveats.local:
        (node, name), end = next(iter(caveats.local.items()))
        yield say_counted(
            len(caveats.local),
            "{count} pair goes to an address of the sender's own machine; {pair}: {listener}",
            "{count} pairs go to an address of the sender's own machine; {pair}: {listener}",
            pair=_called(matrix, node, name),
            listener=local_sentence(end, estate),
        )
    yield from caveats.missing


def verdicts_of(pairs: Iterable[Pair], matrix: Matrix) -> Counter[str]:
    """How many of these pairs have each verdict."""
    return Counter(matrix.verdict(*pair) for pair in pairs)


def _called(matrix: Matrix, node: int, name: int) -> Sentence:
    instance, database = matrix.nodes[node]
    origin = say("outside {instance}", instance=instance) if database is None else f"{instance}/{database}"
    return say("{origin} to {service}", origin=origin, service=matrix.names[name])
