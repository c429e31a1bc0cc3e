"""Facts about an estate that findings and explanations share."""

from __future__ import annotations

from routing.lint.facts import addresses_beside
from tests.routing.lint.estates import estate


def test_addresses_on_the_same_host_are_beside_one_another() -> None:
    instances = [
        {"name": "a", "addresses": ["tcp://x:4022", "tcp://x:5022"], "databases": []},
        {"name": "b", "addresses": ["tcp://x:6022", "tcp://xx:4022"], "databases": []},
    ]
    found = estate(*instances)
    assert addresses_beside(found, "tcp://x:4022") == ("tcp://x:5022", "tcp://x:6022")
    assert addresses_beside(found, "tcp://x:1") == ("tcp://x:4022", "tcp://x:5022", "tcp://x:6022")
    assert addresses_beside(found, "tcp://xx:4022") == addresses_beside(found, "tcp://y:4022") == ()
