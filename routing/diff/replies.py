"""Whether replies with an identifier end like other messages with it, so that they are not evaluated again."""

from __future__ import annotations

from collections.abc import Set

from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.class_change import ClassChange


def replies_end_alike(known: ClassChange, other: TrafficClass) -> bool:
    """True if the outcomes of a class that is near another one are those of replies with its identifier.

    Only instances with a database of the identifier treat a reply differently (RT-REPLY): they must decide as before,
    and no message may meet them that comes from where the outcome may change.
    """
    near, identifier = known.near, known.traffic.to_broker_instance
    if near is None or not other.is_reply or other.to_broker_instance != identifier:
        return False
    replying, delta = known.comparing.specials.replying(other), known.comparing.delta
    if any(not replying.isdisjoint(nodes) for nodes in (near.suspected, known.identified, delta.one_sided)):
        return False
    if known.goals and not _are_off_the_way(known, near, replying):
        return False
    crossed = known.crossed()
    return all(name not in near.passing and name not in crossed for name, _ in replying)


def _are_off_the_way(known: ClassChange, near: ClassChange, replying: Set[Node]) -> bool:
    """Whether no message on its way to an instance that decides otherwise meets one of these nodes."""
    if not known.before.shared or known.name.cells_towards(known.goals):
        return False
    passed = near.passed(known.goals)
    return replying.isdisjoint(known.name.sending(known.goals)) and all(name not in passed for name, _ in replying)
