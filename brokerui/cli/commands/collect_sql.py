"""`brokerui collect-sql`: the script that collects the catalog of a live instance."""

from __future__ import annotations

import argparse
import sys

from brokerui.core.languages import local
from routing.catalog.script import collect_script
from routing.common.sentence import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = local(say("Run it on the instance, save its result, and give that to import-catalog."))


def run(options: argparse.Namespace) -> int:
    sys.stdout.write(collect_script())
    return 0
