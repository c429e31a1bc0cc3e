"""argparse's own words, in the language of the environment."""

from __future__ import annotations

import argparse

from brokerui.core.languages import here
from routing.common.sentence import CountedText, say, say_counted

WORDS = (
    say("usage: "),
    say("positional arguments"),
    say("options"),
    say("show this help message and exit"),
    say("%(prog)s: error: %(message)s\n"),
    say("argument %(argument_name)s: %(message)s"),
    say("the following arguments are required: %s"),
    say("one of the arguments %s is required"),
    say("unrecognized arguments: %s"),
    say("not allowed with argument %s"),
    say("expected one argument"),
    say("expected at least one argument"),
    say("ignored explicit argument %r"),
    say("invalid %(type)s value: %(value)r"),
    say("invalid choice: %(value)r (choose from %(choices)s)"),
    say_counted(1, "expected %s argument", "expected %s arguments"),
)
"""Messages of argparse that a user of these commands can see; listed here for the catalogue."""


def bind_usage() -> None:
    """argparse asks gettext by two names of its module; it finds these catalogues, and no others of the machine."""
    vars(argparse).update(_=_one, ngettext=_counted)


def _one(text: str) -> str:
    return here()(text)


def _counted(one: str, many: str, number: int) -> str:
    return here()(CountedText(one, many, number))
