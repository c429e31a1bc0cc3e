"""Report of the installation's condition by a process that is started by itself, and not by `up`."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress

from django.db import connections
from redis import RedisError

from brokerui.core.conditions import Condition, RefusedConditionError, conditions_newly_reported, conditions_to_run_in
from brokerui.core.logs import PROCESS
from brokerui.running.messages import print_failure

logger = logging.getLogger(__name__)


def may_start() -> bool:
    """Log each condition in one line; `up` has done that for the processes that it starts. False, and one line on
    standard error, where the product must not run."""
    try:
        found = conditions_to_run_in()
    except RefusedConditionError as refusal:
        print_failure(str(refusal))
        return False
    finally:
        connections.close_all()  # a connection must not be shared with processes that are forked from this one
    if not os.environ.get(PROCESS):
        for one in found:
            logger.warning("%s", one.text)
    note_reported(found)
    return True


def note_reported(found: Sequence[Condition]) -> None:
    """Keep workers from saying again what the start has said."""
    with suppress(RedisError, OSError):
        conditions_newly_reported(found)
