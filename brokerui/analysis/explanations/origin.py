"""Where a conversation begins, as a text: `HOST/DB`, and, where names hold slashes and that means two, one for each."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, unquote

from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate

OUTSIDE = "outside:"
EXACT = "exact:"
"""`exact:HOST:DB`, percent-encoded: it has no slash, so that it is never taken for a HOST/DB."""
ON = " on "
"""Between database and instance, as answers name them."""
Origin = tuple[str, str]
"""Instance and database."""


def has_database(estate: Estate, host: str, name: str) -> bool:
    """Every instance has an msdb; one that is not written has no routes."""
    return host in estate.instances and (name == MSDB or name in estate.instances[host].databases)


def cuts(text: str) -> list[Origin]:
    """Every instance and database that a text can be; names may hold slashes themselves."""
    if is_exact(text):
        host, _, name = text.removeprefix(EXACT).partition(":")
        return [(unquote(host), unquote(name))]
    return [(text[:index], text[index + 1 :]) for index, letter in enumerate(text) if letter == "/"]


def is_exact(text: str) -> bool:
    return text.startswith(EXACT) and "/" not in text


def meant(text: str, estate: Estate) -> list[Origin]:
    """Return the readings of a text that name a database of the estate; more than one: the text is ambiguous."""
    return [cut for cut in cuts(text) if has_database(estate, *cut)]


def is_outside(text: str, estate: Estate) -> bool:
    """Whether it means what arrives at an instance from outside; an instance of this name comes before a database."""
    return text.startswith(OUTSIDE) and text.removeprefix(OUTSIDE) in estate.instances


def as_origin(text: str, estate: Estate) -> str:
    """The origin that an answer writes as `Orders on shop` or `outside shop`, as a question writes it."""
    if is_outside(text, estate) or meant(text, estate):
        return text
    word, _, host = text.removeprefix("from ").replace("outside to ", "outside ", 1).partition(" ")
    if f"{word.rstrip(':')}:" == OUTSIDE and host.strip() in estate.instances:
        return f"{OUTSIDE}{host.strip()}"
    places = [(host, name) for name, host in _cut_at(text, ON) if has_database(estate, host, name)]
    return origin_text(estate, *places[0]) if len(places) == 1 else text


def instance_meant(text: str, estate: Estate) -> str | None:
    """The instance that a text names: by its name, in any case, or by one of its places as answers print them."""
    if text in estate.instances:
        return text
    alike = [name for name in estate.instances if name.casefold() == text.casefold()]
    if len(alike) == 1:
        return alike[0]
    origin = as_origin(text, estate)
    if is_outside(origin, estate):
        return origin.removeprefix(OUTSIDE)
    hosts = {host for host, _ in meant(origin, estate)}
    return hosts.pop() if len(hosts) == 1 else None


def _cut_at(text: str, sign: str) -> Iterator[tuple[str, str]]:
    """Every way to cut a text in two: names may hold the sign themselves."""
    parts = text.split(sign)
    return ((sign.join(parts[:at]), sign.join(parts[at:])) for at in range(1, len(parts)))


def origin_text(estate: Estate, host: str, name: str) -> str:
    """`HOST/DB` where that means nothing else."""
    plain = f"{host}/{name}"
    if plain.count("/") == 1 and not plain.startswith(OUTSIDE):
        return plain
    alone = meant(plain, estate) == [(host, name)] and not is_outside(plain, estate)
    return plain if alone else exact(host, name)


def exact(host: str, name: str) -> str:
    """The form that means only this instance and database, whatever an estate holds."""
    return f"{EXACT}{quote(host, safe='')}:{quote(name, safe='')}"


def ambiguous(origins: list[Origin]) -> Sentence:
    """List the meanings of an ambiguous text, each with a text that means only that."""
    sentences = [
        say('{exact} (database "{name}" on {host})', exact=exact(host, name), name=name, host=host)
        for host, name in origins
    ]
    choice = sentences[0]
    for other in sentences[1:]:
        choice = say("{one}, or {other}", one=choice, other=other)
    return say("may mean {choice}: write which", choice=choice)
