"""A literal reading of the routing rules, to disagree with the fast engine.

It works on the plain JSON documents (estate, conversation), shares no code with the
product, and prefers being obviously right to being fast: one small function per rule,
each named after its rule. The documents are taken to be valid.

``outcomes`` answers one conversation at one time with every outcome that any arbitrary
choice can lead to. The list has no duplicates and is sorted by goodness of the outcome
(delivered, exits, delayed, dropped), then by instance, then by the remaining value
(database, address or reason).
"""

from tests.naive.way import outcomes

__all__ = ["outcomes"]
