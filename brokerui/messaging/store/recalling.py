"""The commit of conversations that were recalled: it locks them, and checks that they are as they were left, on the one
way on which it writes. Where one is not, its transaction fails before anything is written.
"""

from __future__ import annotations

from typing import Final

from brokerui.messaging.store.claiming import Claim
from brokerui.messaging.store.instance_state import NUMBER
from brokerui.messaging.store.postgres_transactions import OwnSession

# One look into the index of conversations, and no other plan: where a planner takes the table for empty, it would read
# all endpoints of an instance for a join by handle, for an order by handle, or because a key ends with the instance.
# Neither side has come or gone since, and none has a transmission object to be read.
_ARE_AS_LEFT: Final = (
    '(SELECT array_agg(e.conversation_handle || {version} ORDER BY e.conversation_handle || {version} COLLATE "C")'
    " FROM conversation_endpoints e WHERE e.conversation_id = ANY(%(conversations)s::text[])"
    " AND e.instance_id + 0 = %(instance)s) = %(endpoints)s::text[]"
    " AND NOT EXISTS (SELECT 1 FROM transmission_objects t WHERE t.conversation_handle = ANY(%(handles)s::text[])"
    " AND t.instance_id = %(instance)s)"
    f" AND (%(known)s::int8, %(version)s::int8) = ({NUMBER.format(instance='%(instance)s')})"
)


def begin(claim: Claim) -> None:
    """Begin the transaction, within the way of its commit."""
    session = claim.session
    assert isinstance(session, OwnSession), "others have no versions, so that nothing is recalled"
    assert claim.known is not None, "the state of the instance is recalled with the conversations"
    conversations = list(claim.conversations)
    parameters = {
        "handles": list(claim.versions),
        "endpoints": sorted(handle + version for handle, version in claim.versions.items()),
        "conversations": conversations,
        "known": claim.known.number,
        "version": claim.known.live_version,
    }
    condition = _ARE_AS_LEFT.format(version=session.version("e"))
    session.begin_if(conversations, condition, {**parameters, **claim.mine})
