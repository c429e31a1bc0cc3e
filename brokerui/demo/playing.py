"""The application of the demo: what cafe and bakery do in five seconds. All of it goes through the verbs."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from random import SystemRandom
from typing import Final

from django.db import DatabaseError, transaction

from brokerui.demo.hosted import (
    BAKERY,
    BAKERY2,
    BANK,
    BREAD,
    BREAD_QUEUE,
    CAFE,
    FLOWERS,
    OVENS,
    TILL,
    TILL_QUEUE,
    TILLS,
)
from brokerui.estate.selectors import estate_current
from brokerui.messaging.errors import MessagingError
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_end,
    conversation_send,
    message_receive,
)
from routing.dialog.problems import VerbError
from routing.dialog.system_names import DEFAULT
from routing.model.estate import PRINCIPAL

logger = logging.getLogger(__name__)

ORDERS: Final = 8
"""Conversations that the cafe begins at once."""
GROUPS: Final = 24
"""Conversation groups that each side looks at in one go: more than begin, so that it catches up."""
OPEN: Final = 200
"""The cafe waits while this many orders are unanswered."""
STUCK: Final = {FLOWERS: 24, BANK: 12}
"""Undeliverable conversations, by service: at most this many."""
STUCK_CHANCE: Final = 0.2
_random = SystemRandom()


def play() -> None:
    """Play one round; a party that is blocked goes on in the next."""
    for act in (_take_bread, _bake, _order, _get_stuck):
        _try(act)


def _try(act: Callable[[], None]) -> None:
    try:
        with transaction.atomic():
            act()
    except (MessagingError, VerbError, DatabaseError) as error:
        logger.info("the demo waits: %s", error)


def _order() -> None:
    """The cafe asks the bakery."""
    if _open(BREAD, OPEN) < OPEN:
        for _ in range(ORDERS):
            _begin(BREAD, {"order": _random.randrange(10_000), "loaves": _random.randrange(1, 9)})


def _get_stuck() -> None:
    """And now and then others, who are never reached."""
    for service, most in STUCK.items():
        if _random.random() < STUCK_CHANCE and _open(service, most) < most:
            _begin(service, {"table": _random.randrange(1, 20)}, is_encrypted=service == BANK)


def _open(service: str, most: int) -> int:
    """Conversations of the cafe with a service, in which something waits to be sent; counted up to a number."""
    rows = ConversationEndpoint.objects.filter(instance__name=CAFE, database=TILLS, far_service=service, outgoing__gt=0)
    return rows[:most].count()


def _begin(service: str, body: dict[str, int], *, is_encrypted: bool = False) -> None:
    begun = conversation_begin(
        instance=CAFE, database=TILLS, from_service=TILL, to_service=service, encryption=is_encrypted
    )
    _send(CAFE, begun.conversation_handle, body)


def _send(instance: str, handle: str, body: dict[str, int]) -> None:
    conversation_send(instance=instance, handles=[handle], messages=[Message(json.dumps(body).encode())])


def _bake() -> None:
    """The bakery answers, whichever of the two has the principal, and has nothing more to say."""
    instances = estate_current().estate.instances
    here = next(name for name in (BAKERY, BAKERY2) if instances[name].databases[OVENS].mirroring_role == PRINCIPAL)
    for _ in range(GROUPS):
        messages = message_receive(instance=here, database=OVENS, queue=BREAD_QUEUE)
        for message in messages:
            if message.message_type_name == DEFAULT:
                _send(here, message.conversation_handle, {"minutes": _random.randrange(5, 20)})
            conversation_end(instance=here, handle=message.conversation_handle)
        if not messages:
            return


def _take_bread() -> None:
    """The cafe takes the answers, and ends what the bakery has ended."""
    for _ in range(GROUPS):
        messages = message_receive(instance=CAFE, database=TILLS, queue=TILL_QUEUE)
        for handle in {one.conversation_handle for one in messages if one.message_type_name != DEFAULT}:
            conversation_end(instance=CAFE, handle=handle)
        if not messages:
            return
