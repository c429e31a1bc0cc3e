"""Ends the processes that a killed supervisor leaves behind.

The reaper is a process of its own. It reads from a pipe which process groups run: `PID` when one starts, `-PID` when
one has ended. When the supervisor ends, in whatever way, the pipe closes, and the reaper ends the remaining groups.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable

GRACE_S = 6.0
POLL_S = 0.1


def main() -> None:
    """Read until the pipe closes. Holds the lock of the home until no group is left."""
    for quiet in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(quiet, signal.SIG_IGN)
    end_groups(_remaining(sys.stdin.buffer))


def _remaining(lines: Iterable[bytes]) -> list[int]:
    groups: set[int] = set()
    for line in lines:
        number = int(line)
        groups = groups | {number} if number > 0 else groups - {-number}
    return sorted(groups)


def end_groups(groups: list[int], grace: float = GRACE_S) -> None:
    """Send SIGTERM to the groups, and SIGKILL to those that are left after `grace` seconds."""
    until = time.monotonic() + grace
    left = [group for group in groups if signal_group(group, signal.SIGTERM)]
    while left and time.monotonic() < until:
        time.sleep(POLL_S)
        left = [group for group in left if signal_group(group, 0)]
    for group in left:
        signal_group(group, signal.SIGKILL)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group. Return False where no process of it is left."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        # macOS raises it for a group whose processes have all ended.
        return False
    return True


if __name__ == "__main__":
    main()
