"""Names of instances compare without case."""

from __future__ import annotations

from routing.common.names import spelt_as_known


def test_a_name_is_spelt_as_the_only_known_one_that_is_alike() -> None:
    assert [spelt_as_known(name, ["Shop", "depot"]) for name in ("SHOP", "Shop", "Depot", "new")] == [
        "Shop",
        "Shop",
        "depot",
        "new",
    ]
    assert [spelt_as_known(name, ["Shop", "shop"]) for name in ("shop", "SHOP")] == ["shop", "SHOP"]
