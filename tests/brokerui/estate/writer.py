"""A process that writes the live estate beside others: `python -m tests.brokerui.estate.writer NAME COUNT`.

It makes each edit on the version that it saw last, and makes it again if that was stale. It prints how often it did.
Without arguments it prints the result: the versions, the number of routes, whether rows and version agree.
"""

from __future__ import annotations

import json
import sys

from brokerui.core.start import django_ready


def write(name: str, count: int) -> int:
    from brokerui.estate.errors import EstateStaleError
    from brokerui.estate.selectors import estate_current
    from brokerui.estate.services import estate_edit
    from routing.model.address import parse_address
    from routing.model.edits import PutRoute
    from routing.model.route import Route

    stale = made = 0
    while made < count:
        route = Route(f"{name}{made}", None, None, None, parse_address("LOCAL"))
        base = estate_current().version
        try:
            estate_edit(edits=[PutRoute("here", "Orders", route)], base_version=base, author=name)
            made += 1
        except EstateStaleError:
            stale += 1
    return stale


def begin() -> None:
    from django.core.management import call_command

    from brokerui.estate.services import estate_import
    from tests.brokerui.estate.helpers import TWO

    call_command("migrate", verbosity=0)
    estate_import(estate=TWO, author="begin")


def report() -> dict[str, object]:
    from brokerui.estate.models import AuditEntry, Version
    from tests.brokerui.estate.helpers import text_of_rows, text_of_version

    return {
        "versions": list(Version.objects.order_by("number").values_list("number", flat=True)),
        "audit": AuditEntry.objects.filter(action__startswith="estate.").count(),
        "agree": text_of_rows() == text_of_version(),
        "routes": text_of_rows().count('"broker_instance": null, "lifetime": null'),
    }


if __name__ == "__main__":
    django_ready()
    match sys.argv[1:]:
        case ["begin"]:
            begin()
        case [name, count]:
            sys.stdout.write(f"{write(name, int(count))}\n")
        case _:
            sys.stdout.write(json.dumps(report()))
