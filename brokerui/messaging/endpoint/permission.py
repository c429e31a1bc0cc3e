"""Whether a peer may connect, decided from its HELLO and its certificate."""

from __future__ import annotations

from collections.abc import Mapping

from routing.adjacent.frames import Hello
from routing.common.sentence import Sentence, say


def objection(hello: Hello, hosted: Mapping[str, bytes]) -> Sentence | None:
    """An instance of this endpoint is known by its number, and no peer may have its name."""
    known = {name.casefold(): number for name, number in hosted.items()}
    if known.get(hello.name.casefold(), hello.instance_id) != hello.instance_id:
        return say("the peer presents itself as {name}, which is hosted here", name=hello.name)
    return None


def objection_to_certificate(
    hello: Hello, names: tuple[str, ...], permitted: Mapping[str, str] | None
) -> Sentence | None:
    """CONNECT permission: the certificate says as which instance a peer may connect."""
    if permitted is None:
        instances = list(names)
    else:
        instances = [permitted[name.casefold()] for name in names if name.casefold() in permitted]
    if not instances:
        return say("the certificate {names} has no permission to connect", names=names)
    if hello.name.casefold() in {instance.casefold() for instance in instances}:
        return None
    return say("the certificate {names} may not connect as {name}", names=names, name=hello.name)
