"""Loading the demo, and taking it away."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext_noop

from brokerui.demo.hosted import HOSTED, free_ports, hosted_instances
from brokerui.demo.models import Demo
from brokerui.demo.selectors import demo_instances
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import Instance
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.selectors import estate_current, live_version
from brokerui.estate.services import estate_edit, estate_import
from routing.model.edits import DropInstance

AUTHOR = "demo"
EXAMPLE = "three-servers"
LOADED = gettext_noop("the demo that a new home starts with")
REMOVED = gettext_noop("the demo is removed")


@transaction.atomic
def demo_load() -> bool:
    """Import the demo as the live estate, unless something was ever imported. Whether it was.

    It is an example, whose instances are observed, and some instances that are hosted here and talk to each other.
    """
    if live_version():
        return False
    estate = scenario_get(EXAMPLE)
    for instance in hosted_instances(free_ports(len(HOSTED))):
        estate = estate.with_instance(instance)
    try:
        estate_import(estate=estate, author=AUTHOR, note=LOADED, base_version=0)
    except EstateStaleError:
        return False  # another was first, with other ports
    Instance.objects.filter(name__in=HOSTED).update(hosted=True)
    moment = Instance.objects.earliest("imported_at").imported_at
    assert moment is not None  # all of them were imported just now
    Demo.objects.update_or_create(id=Demo.KEY, defaults={"loaded_at": moment})
    return True


@transaction.atomic
def demo_remove(*, author: str) -> list[str]:
    """Drop the instances of the demo, as one edit of the live estate; others stay. Gives their names.

    Raises `EstateStaleError` where somebody changes the estate at the same moment.
    """
    live = estate_current()
    gone = demo_instances()
    if gone:
        edits = [DropInstance(name) for name in gone]
        estate_edit(edits=edits, base_version=live.version, author=author, note=REMOVED)
    return gone
