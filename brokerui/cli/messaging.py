"""Shared parts of the messaging commands: notation of places, and errors."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from brokerui.analysis.explanations.origin import ON
from brokerui.cli.product import the_product
from brokerui.core.languages import local
from routing.common.errors import InputError
from routing.common.names import without_brackets
from routing.common.sentence import Sentence, say

HOST_DB = "HOST/DB"
HOST_DB_QUEUE = "HOST/DB/QUEUE"


def place(form: str) -> Callable[[str], tuple[str, ...]]:
    """An argument of as many names as this form has, divided by `/`; the first may hold a backslash, none a slash but
    that of a queue. Also as pages and T-SQL write it: `DB on HOST`, `HOST/DB.dbo.QUEUE`, `HOST/DB/[dbo].[QUEUE]`."""

    def names(text: str) -> tuple[str, ...]:
        found = _as_printed(tuple(text.split("/", 2)), form)
        if len(found) != form.count("/") + 1 or not all(found):
            raise argparse.ArgumentTypeError(local(say("must be {form}, not {given}", form=form, given=text)))
        return found

    return names


def _as_printed(names: tuple[str, ...], form: str) -> tuple[str, ...]:
    if form == HOST_DB:
        database, on, host = names[0].rpartition(ON)
        return (host, database) if len(names) == 1 and on else names
    *owners, queue = names
    queue = without_brackets(queue)
    if len(owners) == 1 and queue.count(".") > 1:
        owners, queue = [*owners, queue.rsplit(".", 2)[0]], ".".join(queue.rsplit(".", 2)[1:])
    if len(owners) > 1 and queue.startswith(f"{owners[1]}.") and queue.count(".") > 1:
        queue = queue.removeprefix(f"{owners[1]}.")
    return (*owners, queue)


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
