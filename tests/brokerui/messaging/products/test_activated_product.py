"""Activation with all processes of the product: only the readers that it starts receive."""

from __future__ import annotations

import base64
import json

import pytest

from tests.brokerui.product import PROGRAMS, Product, done, eventually

pytestmark = pytest.mark.slow

SECONDS = 240


def test_a_message_is_answered_by_a_reader_that_nobody_has_started(products: tuple[Product, Product]) -> None:
    product, _ = products
    assert list(product.pids()) == [*PROGRAMS, "readers"]
    words = ["send", "--from", "A/shared", "--service", "Ask", "--to", "Echo", "--size", "100"]
    handle = json.loads(done(product.home, words))["conversation_handle"]
    answer = eventually(lambda: done(product.home, ["receive", "A/shared/dbo.AskQ", "--wait", "5000"]), SECONDS)
    row = json.loads(answer)
    assert (row["conversation_handle"], len(base64.b64decode(row["message_body"]))) == (handle, 100)
