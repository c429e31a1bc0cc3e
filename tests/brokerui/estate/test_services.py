"""What imports and edits write, what they refuse, and that nothing of a refusal stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from brokerui.estate import models, services
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import AuditEntry, Database, Instance, Route, Version
from brokerui.estate.selectors import instance_freshness
from brokerui.estate.services import estate_edit, estate_import
from routing.common.errors import Invalid
from routing.model import route as law
from routing.model.address import parse_address
from routing.model.catalog_objects import Service
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    PutDatabase,
    PutRoute,
    PutService,
    SetBroker,
    SetHopLimit,
)
from routing.model.estate import Estate
from tests.brokerui.estate.helpers import GUID, LOCAL, TWO, brought_in, changed, estate_of, server, stands

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
NEW = law.Route("New", "Parts", None, None, parse_address("TCP://There.example/"))


def counts(version: Version) -> tuple[int, int, int]:
    return version.added, version.changed, version.removed


def test_an_import_is_a_version_with_its_author() -> None:
    written = estate_import(estate=TWO, author="ann", note="first")
    version = Version.objects.get()
    assert (written.version, version.number, version.kind, version.author, version.note) == (
        1, 1, "import", "ann", "first",
    )  # fmt: skip
    assert counts(version) == (13, 0, 0)
    assert written.estate is TWO
    stands(TWO)


def test_an_import_of_the_same_is_no_version_but_is_known_to_have_been() -> None:
    first = brought_in(TWO)
    before = instance_freshness()
    assert estate_import(estate=TWO, author="bob") == first
    assert Version.objects.count() == 1
    entry = AuditEntry.objects.all()[0]
    assert (entry.author, entry.version_id) == ("bob", None)
    assert all(instance_freshness()[name] > moment for name, moment in before.items() if moment)


def test_nothing_imported_into_nothing_is_nothing() -> None:
    assert estate_import(estate=Estate(), author="a").version == 0
    assert not Version.objects.exists()


def test_only_the_instances_that_were_read_are_fresh() -> None:
    estate_import(estate=TWO, author="a", imported=["there"])
    fresh = instance_freshness()
    assert fresh["here"] is None
    assert fresh["there"] is not None
    assert (timezone.now() - fresh["there"]).total_seconds() < 60


def test_rows_that_do_not_differ_are_not_touched() -> None:
    brought_in(TWO)
    ids = dict(Route.objects.values_list("name", "id"))
    Instance.objects.filter(name="here").update(hosted=True)
    brought_in(TWO.edited([PutRoute("here", "Orders", NEW), DropDatabase("there", "Parts")]))
    assert Instance.objects.get(name="here").hosted
    assert {name: ids[name] for name in ("R",)}.items() <= dict(Route.objects.values_list("name", "id")).items()
    assert counts(Version.objects.first()) == (1, 0, 3)  # type: ignore[arg-type] - there is a version


def test_a_row_keeps_its_key_when_its_columns_change() -> None:
    brought_in(TWO)
    key = Route.objects.get(name="R").pk
    changed(PutRoute("here", "Orders", replace(NEW, name="R")))
    row = Route.objects.get(name="R")
    assert (row.pk, row.address, row.address_key) == (key, "TCP://There.example/", "tcp://there.example:4022")


def test_another_spelling_of_an_address_is_a_change() -> None:
    brought_in(TWO)
    changed(PutRoute("here", "Orders", NEW))
    version = changed(PutRoute("here", "Orders", replace(NEW, address=parse_address("tcp://there.example")))).version
    assert version == 3


def test_a_list_in_another_order_is_a_change() -> None:
    here = {"name": "A", "routes": [{"name": name, "address": "LOCAL"} for name in "abcde"]}
    there = {"name": "A", "routes": [{"name": name, "address": "LOCAL"} for name in "xebad"]}
    brought_in(estate_of(server("i", here), server("j")))
    for after in (estate_of(server("i", there), server("j")), estate_of(server("j"), server("i", there))):
        brought_in(after)
        stands(after)
    assert counts(Version.objects.first()) == (0, 1, 0)  # type: ignore[arg-type] - there is a version


def test_identifiers_and_addresses_may_change_places() -> None:
    guid = GUID.replace("5", "6")
    one = [{"name": "A", "broker_instance": GUID}, {"name": "B", "broker_instance": guid}]
    other = [{"name": "A", "broker_instance": guid}, {"name": "B", "broker_instance": GUID}]
    brought_in(estate_of(server("i", *one), server("j")))
    after = estate_of(
        server("i", *other, addresses=["tcp://j.example"]), server("j", addresses=["tcp://i.example:4022"])
    )
    brought_in(after)
    stands(after)


def test_edits_are_a_version_on_the_one_they_were_made_on() -> None:
    brought_in(TWO)
    written = estate_edit(edits=[PutRoute("here", "Orders", NEW), SetHopLimit(3)], base_version=1, author="ann")
    assert written.version == 2
    version = Version.objects.get(number=2)
    assert (version.kind, version.author, version.document, counts(version)) == ("edit", "ann", None, (1, 1, 0))
    stands(TWO.edited([PutRoute("here", "Orders", NEW), SetHopLimit(3)]))


def test_the_first_version_may_be_made_by_edits() -> None:
    changed(SetHopLimit(3))
    stands(Estate(hop_limit=3))


def test_edits_that_change_nothing_are_no_version() -> None:
    brought_in(TWO)
    same = TWO.instances["here"].databases["Orders"].table.routes["R"]
    assert changed(PutRoute("here", "Orders", same)).version == 1
    assert Version.objects.count() == 1


def test_an_unwritten_msdb_is_written_with_its_first_route() -> None:
    brought_in(TWO)
    changed(PutRoute("there", "msdb", NEW))
    stands(TWO.edited([PutRoute("there", "msdb", NEW)]))


def test_a_service_that_is_put_again_goes_to_the_end_with_its_contracts() -> None:
    brought_in(TWO)
    edit = PutService("here", "Orders", Service("Own", "dbo.Other", ("D", "D", "C")))
    changed(edit)
    stands(TWO.edited([edit]))
    assert list(models.ServiceContract.objects.filter(service__name="Own").values_list("contract", flat=True)) == [
        "D", "D", "C",
    ]  # fmt: skip


@pytest.mark.parametrize("base", [0, 1, 3, -1])
def test_edits_of_another_version_are_refused(base: int) -> None:
    brought_in(TWO)
    changed(SetHopLimit(3))
    with pytest.raises(EstateStaleError) as caught:
        changed(SetHopLimit(4), base=base)
    assert (caught.value.base_version, caught.value.current_version) == (base, 2)
    stands(TWO.edited([SetHopLimit(3)]))


def test_an_edit_that_the_estate_cannot_take_is_named_and_none_is_made() -> None:
    brought_in(TWO)
    with pytest.raises(Invalid) as caught:
        changed(SetHopLimit(3), DropRoute("here", "Orders", "R"), DropRoute("here", "Orders", "R"))
    assert caught.value.path == "edits[2].route"
    assert (Version.objects.count(), AuditEntry.objects.count()) == (1, 1)
    stands(TWO)


def test_a_rule_of_the_estate_holds_for_edits_too() -> None:
    there = {"name": "B", "broker_instance": GUID, "broker_enabled": False}
    brought_in(estate_of(server("i", {"name": "A", "broker_instance": GUID}, there)))
    with pytest.raises(Invalid) as caught:
        changed(SetBroker("i", "B", True))
    assert caught.value.path == "edits[0].databases[1].broker_instance"


@pytest.mark.parametrize("fails", ["write_difference", "_mark_imported", "audit"])
def test_an_error_half_way_leaves_nothing(monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    brought_in(TWO)

    def fail(*_: Any, **__: Any) -> None:
        if fails == "write_difference":
            Route.objects.all().delete()
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(f"{services.__name__}.{fails}", fail)
    with pytest.raises(DatabaseError):
        estate_import(estate=Estate(hop_limit=7), author="a")
    monkeypatch.undo()
    assert (Version.objects.count(), AuditEntry.objects.count()) == (1, 1)
    stands(TWO)


def test_every_write_is_in_the_audit() -> None:
    brought_in(TWO)
    estate_edit(edits=[SetHopLimit(3)], base_version=1, author="ann", note="why")
    entries = [(entry.author, entry.action, entry.note, entry.version) for entry in AuditEntry.objects.order_by("id")]
    first, second = Version.objects.order_by("number")
    assert entries == [("importer", "estate.import", "", first), ("ann", "estate.edit", "why", second)]


def partners() -> dict[str, str | None]:
    rows = Database.objects.filter(partner__isnull=False).order_by("instance__name")
    return {row.instance.name: row.partner.instance.name if row.partner else None for row in rows}


def test_mirrored_databases_are_partners_while_they_agree() -> None:
    def half(role: str | None, guid: str = GUID) -> dict[str, Any]:
        return {"name": "P", "broker_instance": guid, "mirroring_role": role, "routes": [LOCAL]}

    brought_in(estate_of(server("a", half("PRINCIPAL")), server("b", half("MIRROR")), server("c")))
    assert partners() == {"a": "b", "b": "a"}
    brought_in(estate_of(server("a", half("MIRROR")), server("b", half("PRINCIPAL")), server("c")))
    assert partners() == {"a": "b", "b": "a"}
    brought_in(estate_of(server("a", half("MIRROR")), server("b"), server("c", half("PRINCIPAL"))))
    assert partners() == {"a": "c", "c": "a"}
    for other in (half("MIRROR"), half(None), half("PRINCIPAL", GUID.replace("5", "6"))):
        brought_in(estate_of(server("a", half("MIRROR")), server("b"), server("c", other)))
        assert partners() == {}


def test_a_mirrored_database_outlives_its_partner() -> None:
    halves = [{"name": "P", "broker_instance": GUID, "mirroring_role": role} for role in ("PRINCIPAL", "MIRROR")]
    brought_in(estate_of(server("a", halves[0]), server("b", halves[1])))
    changed(DropInstance("a"))
    assert partners() == {}
    stands(estate_of(server("b", halves[1])))


def test_one_database_may_be_put_in_two_places() -> None:
    """It changes the one that is there, and is new where none is."""
    brought_in(TWO)
    given = replace(TWO.instances["here"].databases["Orders"], broker_instance=None)
    edits = [PutDatabase("here", given), PutDatabase("there", given)]
    changed(*edits)
    stands(TWO.edited(edits))
