"""How tests take the demo away, without its page."""

from __future__ import annotations

from brokerui.demo.selectors import demo_instances
from brokerui.estate.selectors import live_version
from brokerui.estate.services import estate_edit
from routing.model.edits import DropInstance


def demo_remove(*, author: str) -> list[str]:
    gone = demo_instances()
    estate_edit(edits=[DropInstance(name) for name in gone], base_version=live_version(), author=author)
    return gone
