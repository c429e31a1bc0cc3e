"""Making what files say the live estate, and remembering which file each instance was read from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db import transaction
from django.utils import timezone

from brokerui.analysis.imports.models import NAME, Origin
from brokerui.analysis.servers.models import CollectionSource
from brokerui.analysis.servers.services import collection_keep
from brokerui.analysis.servers.sums import ServerSums
from brokerui.estate.lists import chunks
from brokerui.estate.models import Instance
from brokerui.estate.selectors import LiveEstate
from brokerui.estate.services import estate_import
from routing.model.estate import Estate


@transaction.atomic
def apply_build(
    *,
    estate: Estate,
    imported: Mapping[str, str],
    author: str,
    note: str,
    base_version: int,
    shown: Iterable[ServerSums] = (),
) -> LiveEstate:
    """One transaction, one version. `imported` names the instances that were read, each with its file; `shown` is kept
    as collections of their servers.

    Raises `EstateStaleError` where the live estate has another version by now.
    """
    written = estate_import(estate=estate, author=author, note=note, imported=list(imported), base_version=base_version)
    _remember(imported, author, written.version)
    for sums in shown:
        collection_keep(sums=sums, author=author, source=CollectionSource.IMPORTED)
    return written


def _remember(imported: Mapping[str, str], author: str, version: int) -> None:
    now = timezone.now()
    for part in chunks(sorted(imported)):
        moments = dict(Instance.objects.filter(name__in=part).values_list("name", "imported_at"))
        rows = [
            Origin(
                instance=name, file=imported[name][:NAME], author=author, version=version, at=moments.get(name) or now
            )
            for name in part
        ]
        Origin.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["instance"], update_fields=["file", "author", "version", "at"]
        )
