"""The remedy of a conversation that waits: that of its group on *Delayed*, and queues of its sides that are off."""

from __future__ import annotations

from brokerui.analysis.conversations.sides import ConversationSide, ConversationSides
from brokerui.analysis.drains.selectors import drains_now
from brokerui.analysis.monitoring.held import by_handle
from brokerui.analysis.monitoring.off_queues import OffQueue, queues_off
from brokerui.analysis.monitoring.waiting import WaitingGroup, waiting_now
from brokerui.core.deferred import NotReadyError
from brokerui.estate.selectors import estate_current
from brokerui.pages.delayed.groups import DelayedGroup, shown_groups


def remedy_of(conversation: ConversationSides, at: int) -> DelayedGroup | None:
    """Return the group of the side whose messages are delayed, with this conversation as its example; None: no side is
    delayed, or the waiting messages are still being counted."""
    sides = [conversation.near, *([conversation.far] if conversation.far else [])]
    side = next((one for one in sides if one.to_send), None)
    group = _group_of(side) if side else None
    if group is None:
        return None
    shown = shown_groups(estate_current(), [group], at, lambda _group: "", drains_now())
    return shown[0] if shown else None


def _group_of(side: ConversationSide) -> WaitingGroup | None:
    row = by_handle([side.handle]).get((side.instance, side.handle))
    if row is None:
        return None
    wanted = side.instance, side.database, row.far_service, row.transmission_status
    try:
        delayed = waiting_now().delayed
    except NotReadyError:
        return None
    found = next((group for group in delayed if group[:4] == wanted), None)
    return found._replace(handle=side.handle) if found else None


def off_queues_of(conversation: ConversationSides) -> list[OffQueue]:
    """Return the queues of the sides that are off."""
    places = {(side.instance, side.database, side.queue) for side in conversation.sides}
    return [one for one in queues_off(estate_current().estate) if (one.instance, one.database, one.name) in places]
