"""Shared parts of the messaging commands: notation of places, and errors."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from brokerui.cli.product import the_product
from brokerui.core.languages import local
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

HOST_DB = "HOST/DB"
HOST_DB_QUEUE = "HOST/DB/QUEUE"


def place(form: str) -> Callable[[str], tuple[str, ...]]:
    """An argument of as many names as this form has, divided by `/`; the first may hold a backslash, none a slash but
    that of a queue."""

    def names(text: str) -> tuple[str, ...]:
        found = tuple(text.split("/", 2))
        if len(found) != form.count("/") + 1 or not all(found):
            raise argparse.ArgumentTypeError(local(say("must be {form}, not {given}", form=form, given=text)))
        return found

    return names


@contextmanager
def verb(where: str) -> Iterator[None]:
    """Run a verb in the product; what refuses it is bad input, told with the product's number."""
    with the_product():
        from brokerui.messaging.errors import MessagingError
        from routing.dialog.problems import VerbError

        try:
            yield
        except (MessagingError, VerbError) as error:
            raise InputError(where, "", _numbered(error.number, error.problem)) from None


def _numbered(number: int, problem: Sentence) -> Sentence:
    """With the product's number, where it has one."""
    return say("{number}: {problem}", number=number, problem=str(problem)) if number else problem
