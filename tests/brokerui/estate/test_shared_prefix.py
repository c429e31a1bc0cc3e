"""The beginning that names of services share ends at a slash, and names without `//` have no part in it."""

from __future__ import annotations

import pytest

from brokerui.estate.shared_prefix import shared_prefix, shortened_by


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        ([], ""),
        (["//example/a"], ""),
        (["//example/orders/Cart", "//example/orders/Cash"], "//example/orders/"),
        (["//example/orders/Cart", "//example/stock", "SQL/ServiceBroker/BrokerConfiguration"], "//example/"),
        (["//example/stock", "//example/stock/Reserve"], "//example/"),
        (["//one/a", "//other/a"], ""),
        (["Parts", "Parts/More"], ""),
    ],
)
def test_a_prefix_ends_at_a_slash(names: list[str], prefix: str) -> None:
    assert shared_prefix(names) == shared_prefix(names[::-1]) == prefix


def test_a_text_has_an_ellipsis_in_its_place() -> None:
    assert shortened_by("//example/", "for //example/print/Labels · mirrored") == "for …/print/Labels · mirrored"
    assert shortened_by("", "for //example/print/Labels") == "for //example/print/Labels"
