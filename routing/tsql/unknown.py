"""Values that are known only at run time: which they are, and what the user can do about each."""

from __future__ import annotations

import re
from collections.abc import Iterable

from routing.common.sentence import Sentence, listed, say
from routing.tsql.lexer import SQLCMD_VARIABLE, TEMPLATE_IN_TEXT

_OPEN = re.compile(f"(?:{SQLCMD_VARIABLE.pattern})|(?:{TEMPLATE_IN_TEXT.pattern})")
SHOWN = 40
"""Limit of characters of a script that a sentence quotes."""


def open_places(raw: str) -> list[str]:
    """Every `$(x)` and every template parameter in a piece of a script."""
    return [match[0] for match in _OPEN.finditer(raw)]


def unknown_values(found: Iterable[str]) -> Sentence:
    """The sentence about these values, at least one, each as written in the script."""
    shown_once = list(dict.fromkeys(map(shown, found)))
    variables = [one for one in shown_once if one.startswith("$(")]
    templates = [one for one in shown_once if one.startswith("<")]
    rest = [one for one in shown_once if not one.startswith(("$(", "<"))]
    sentences = [
        tell(names) for names, tell in ((variables, _variables), (templates, _templates), (rest, _rest)) if names
    ]
    whole = sentences[0]
    for sentence in sentences[1:]:
        whole = say("{one}; {other}", one=whole, other=sentence)
    return whole


def _variables(names: list[str]) -> Sentence:
    if len(names) > 1:
        return say(
            "the sqlcmd variables {names} have no value: put a line with `:setvar` for each before it, or give them"
            " with `-v` on the command line, in the field Variables on the page",
            names=listed(names),
        )
    return without_value(names[0])


def without_value(variable: str) -> Sentence:
    """The sentence about a `$(x)` without a value, with all ways to set it."""
    name = variable[2:-1]
    return say(
        "the sqlcmd variable {name} has no value: put `{line}` before it, or give it with `{option}` on the command"
        " line, in the field Variables on the page",
        name=variable,
        line=f":setvar {name} …",
        option=f"-v {name}=…",
    )


def _templates(names: list[str]) -> Sentence:
    if len(names) > 1:
        return say("{names} are parameters of a template, not filled in", names=listed(names))
    return say("{name} is a parameter of a template, not filled in", name=names[0])


def _rest(names: list[str]) -> Sentence:
    if len(names) > 1:
        return say("{names} are no literal values, and nothing tells what they are", names=listed(names))
    return say("{got} is no literal value, and nothing tells what it is", got=names[0])


def shown(raw: str) -> str:
    """A piece of a script on one line, cut."""
    if len(raw) <= SHOWN:
        return " ".join(raw.split())
    text = " ".join(raw[: 2 * SHOWN].split())
    return text if len(text) <= SHOWN and len(raw) <= 2 * SHOWN else text[:SHOWN] + "…"
