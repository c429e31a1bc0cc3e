"""Twenty people who watch a broker at the same time, on PostgreSQL, with a month of work in the database.

    .venv/bin/python benchmarks/messaging/watchers.py [--watchers 20] [--seconds 60] [--keep FOLDER]

The web runs as `brokerui up` starts it; `monitored.py` says what the database holds. Each watcher stays on a page of
the operator's, whose piece the browser polls every 3 seconds: a while in which nothing is committed, then a while with
a commit every second, in which one person opens all pages several times.

The time is that of the whole answer as a browser sees it, from its request to the last byte: no less than that of the
server. All browsers are threads of one process that only reads bytes, beside web and PostgreSQL on the same cores; the
seconds of processor that each of the three took are printed. Filling takes most of the time: `--keep` leaves the
PostgreSQL in a folder, and the next run there adds the minutes since then. It takes about five minutes, kept two less.

Polls whose piece was made anew are counted, with the time that they took.

The claims, all at the 95th percentile: a page takes less than 300 ms, a poll that finds nothing new less than 30 ms.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.homes import on_kept, on_postgresql

if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--watchers", type=int, default=20)
    arguments.add_argument("--seconds", type=int, default=60)
    arguments.add_argument("--keep", type=Path)
    given = arguments.parse_args()
    run = on_postgresql if given.keep is None else partial(on_kept, given.keep)
    sys.exit(run("benchmarks.messaging.on_watchers", str(given.watchers), str(given.seconds)))
