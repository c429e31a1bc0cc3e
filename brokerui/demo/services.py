"""Loading the demo."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext_noop

from brokerui.demo.hosted import HOSTED, free_ports, hosted_instances
from brokerui.demo.models import Demo
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import Instance
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.selectors import live_version
from brokerui.estate.services import estate_import

AUTHOR = "demo"
EXAMPLE = "three-servers"
LOADED = gettext_noop("the demo that a new home starts with")


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
