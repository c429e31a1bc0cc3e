"""`sys/`: the product's catalog views of what an estate holds."""

from __future__ import annotations

from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from brokerui.api.catalog_columns import COLUMNS_BY_VIEW
from brokerui.api.catalog_listings import VIEWS
from brokerui.api.read_only_rows import read_only_address

DESCRIPTION = _(
    "The columns of the product's view, after those that say where the row is. Numbers tie rows of one "
    "version together; they are not those of the instance. What the estate does not know is null."
)


def addresses() -> list[URLPattern]:
    """Return the addresses of all catalog views."""
    return [read_only_address("sys", one, COLUMNS_BY_VIEW[one.name], DESCRIPTION) for one in VIEWS]
