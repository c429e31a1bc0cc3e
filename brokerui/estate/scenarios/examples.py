"""The examples that come with BrokerUI: the seven of the product's documentation, and our own, as estate documents."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Example:
    """A document in the folder of examples."""

    name: str
    title: str | Promise
    description: str | Promise

    @property
    def path(self) -> Path:
        """The file of the example."""
        return Path(settings.EXAMPLES) / f"{self.name}.json"


DOCUMENTED = (
    Example(
        "1-default",
        _("Default configuration"),
        _("Only AutoCreatedLocal everywhere: every conversation stays in its instance."),
    ),
    Example(
        "2-network-route",
        _("A network route for one service"),
        _("OrderParts is on another host; everything else stays here."),
    ),
    Example(
        "3-mirrored-database",
        _("A network route to a mirrored database"),
        _("OrderParts has two addresses; the one that holds the principal gets the messages."),
    ),
    Example(
        "4-everything-external",
        _("A network route for everything that is not local"),
        _("Whatever is not in this instance goes to one forwarding host."),
    ),
    Example(
        "5-load-balancing",
        _("Two instances of a service"),
        _("A new conversation goes to either copy; its first acknowledgement fixes which."),
    ),
    Example(
        "6-forward-one-service",
        _("Forwarding one service"),
        _("Messages from outside for one service are sent on; conversations begun here are not."),
    ),
    Example(
        "7-forward-everything",
        _("Forwarding everything that is not local"),
        _("Messages from outside for services that are not here are sent on to another host."),
    ),
)
OWN = (
    Example(
        "three-servers",
        _("Three instances, with the faults that people make"),
        _("Forwarding, mirroring, load balancing and dynamic routing, each with a mistake in it."),
    ),
)
_BY_NAME = {example.name: example for example in (*DOCUMENTED, *OWN)}


def examples() -> list[Example]:
    """Return the examples whose file exists, by name. An unknown file has its name as title."""
    found = sorted(Path(settings.EXAMPLES).glob("*.json"))
    return [_BY_NAME.get(path.stem) or Example(path.stem, path.stem, "") for path in found]


def example_find(name: str) -> Example | None:
    """The example of that name."""
    return next((example for example in examples() if example.name == name), None)
