"""`brokerui up`: run the product on this machine."""

from __future__ import annotations

import argparse

from brokerui.core.languages import local
from routing.common.sentence import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("the port of the web pages (default: PORT of the environment, 8000)"))
    parser.add_argument("--port", type=int, help=help_text)
    help_text = local(say("the address to listen at (default: 127.0.0.1)"))
    parser.add_argument("--host", default="127.0.0.1", help=help_text)


def run(options: argparse.Namespace) -> int:
    from brokerui.running.up import main

    return main(options.port, options.host)
