"""Fragments of 1 KB from the list of one instance, over TCP, to the lists of another: what the endpoints cost.

    .venv/bin/python benchmarks/messaging/endpoint.py [--fragments 100000] [--runs 3]

Everything counts: an endpoint process for each of the two instances, the Valkey between them and the workers, and the
process that plays the workers. What they use of a core together is the time: others on the machine do not matter.
The claim: more than 20,000 fragments in a second of one core; one that goes alone is at the other end within some
milliseconds. Beside it, the same fragments through the same Valkey alone (put and taken, no socket between), as what
nobody could be quicker than.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Django is set up before anything of it is imported.
PROGRAM = """
import django, sys
django.setup()
from benchmarks.messaging.on_endpoint import measure
sys.exit(not measure(*map(int, sys.argv[1:])))
"""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--fragments", type=int, default=100_000)
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings"}
        words = [sys.executable, "-c", PROGRAM, str(given.fragments), str(given.runs)]
        return subprocess.run(words, cwd=ROOT, env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
