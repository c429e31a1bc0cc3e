"""What another program writes into the product's keys in Redis is put aside while all processes go on."""

from __future__ import annotations

import pytest
from redis import Redis

from tests.brokerui.product import Product, eventually

KEYS = ("transmit", "receive", "maintenance", "unacked", "brokerui:endpoint:bytes", "brokerui:endpoint:events")


def restarts(product: Product) -> list[int]:
    return [each["restarts"] for each in product.state()["processes"]]


@pytest.mark.slow
def test_no_process_ends_of_foreign_data_in_redis_and_status_names_the_keys(products: tuple[Product, Product]) -> None:
    _, product = products
    product.status_once_well()
    together = product.home / "log" / "all.log"
    before, complaints, written = restarts(product), len(product.complained), together.stat().st_size
    with Redis(unix_socket_path=str(product.home / "valkey" / "valkey.sock")) as client:
        for key in KEYS:
            client.delete(key)
            client.set(key, "of another program")
        client.set("brokerui:pulse", "of another program")
        eventually(lambda: all(client.exists(f"brokerui:aside:{key}") for key in (*KEYS, "brokerui:pulse")))
        found = product.status_once_well()
        assert (found["redis_problem"], [one["id"] for one in found["conditions"]]) == (None, ["brokerui.I002"])
        client.delete("brokerui:aside", *client.keys("brokerui:aside:*"))
    assert restarts(product) == before
    log = eventually(lambda: "brokerui:aside" in (text := together.read_text()[written:]) and text)
    assert "Redis: the key transmit holds a string that the product has not written" in log
    assert "Traceback" not in log
    assert len(product.complained) == complaints
