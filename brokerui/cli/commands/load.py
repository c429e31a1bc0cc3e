"""`brokerui load`: a result of the pipeline into the dashboard's database."""

from __future__ import annotations

import argparse
import sys

from brokerui.cli.product import the_product
from brokerui.cli.standard_output import need_output
from brokerui.core.languages import local
from routing.common.sentence import Sentence, say, say_counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "gold",
        metavar="GOLD",
        help=local(say("the folder, or the URL of one, that `pipeline route`, `replay` or `telemetry` wrote")),
    )


def run(options: argparse.Namespace) -> int:
    """Into the database of the product whose home is `BROKERUI_HOME`; no Java is started."""
    need_output()
    with the_product():
        from brokerui.analysis.traffic.services import gold_load

        loaded = gold_load(options.gold)
    sys.stdout.write(f"{local(_summary(loaded.run.pk, loaded.rows, is_new=loaded.is_new))}\n")
    return 0


def _summary(number: int, rows: int, *, is_new: bool) -> Sentence:
    if not is_new:
        return say("run {number} is this result: it was loaded before", number=number)
    return say_counted(rows, "run {number}: {count} row", "run {number}: {count} rows", number=number)
