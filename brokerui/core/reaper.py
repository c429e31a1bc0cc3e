"""Ends what a killed supervisor leaves behind.

A process of its own that reads from a pipe which process groups run: `PID`, and `-PID` of one that ended. However the
supervisor ends, the pipe ends with it, and then so do the groups that are left. The programs know nothing of it.
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
    """Watch until the pipe ends. Holds the lock of the home until nothing is left."""
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
    """Ask them to end; those that have not after the grace are killed."""
    until = time.monotonic() + grace
    left = [group for group in groups if signal_group(group, signal.SIGTERM)]
    while left and time.monotonic() < until:
        time.sleep(POLL_S)
        left = [group for group in left if signal_group(group, 0)]
    for group in left:
        signal_group(group, signal.SIGKILL)


def signal_group(group: int, number: int) -> bool:
    """Signal a process group. False where nobody is left in it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        # What macOS says of a group in which only dead ones are left.
        return False
    return True


if __name__ == "__main__":
    main()
