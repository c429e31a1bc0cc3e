"""Twenty people who watch a broker at the same time, on PostgreSQL, with a month of work in the database.

    .venv/bin/python benchmarks/messaging/watchers.py [--watchers 20] [--seconds 60]

The web runs as `brokerui up` starts it; `monitored.py` says what the database holds. Each watcher stays on a page of
the operator's, whose piece the browser polls every 3 seconds: a while in which nothing is committed, then a while with
a commit every second, in which one person opens all pages several times. The time is that of the whole answer, as the
browser sees it.

The claims, all at the 95th percentile: a page takes less than 300 ms, a poll that finds nothing new less than 30 ms.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.homes import on_postgresql

if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--watchers", type=int, default=20)
    arguments.add_argument("--seconds", type=int, default=60)
    given = arguments.parse_args()
    sys.exit(on_postgresql("benchmarks.messaging.on_watchers", str(given.watchers), str(given.seconds)))
