"""The small pieces that pages are made of."""

from __future__ import annotations

from brokerui.core.templatetags.look import breakable


def test_a_name_breaks_behind_a_slash_and_is_escaped() -> None:
    assert breakable("//example/<b>") == "/<wbr>/<wbr>example/<wbr>&lt;b&gt;"
