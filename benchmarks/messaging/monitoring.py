"""The pages about messages at work, with 100,000 delayed conversations and 1,000,000 messages, on both databases.

    .venv/bin/python benchmarks/messaging/monitoring.py

The claim: none takes more than 300 ms, not the first time in a process that has just started, and not after a change.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.homes import on_both

if __name__ == "__main__":
    sys.exit(on_both("benchmarks.messaging.on_monitoring"))
