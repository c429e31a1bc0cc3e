"""Addresses of earlier versions lead to the pages that have taken their place."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("former", "today"),
    [
        ("/import/", "/imports/"),
        ("/import/7/preview/?page=2", "/imports/7/preview/?page=2"),
        ("/messaging/delayed/", "/delayed/"),
        ("/messaging/queues/queues.csv?instance=A%2FB", "/queues/queues.csv?instance=A%2FB"),
        ("/messaging/mirrors/", "/mirrors/"),
        ("/messaging/connections/", "/connections/"),
        ("/admin/", "/tables/"),
        ("/admin/estate/route/?q=Ship", "/tables/estate/route/?q=Ship"),
        ("/accounts/login/?next=/map/", "/account/login/?next=/map/"),
    ],
)
def test_a_former_address_redirects_with_its_query(stranger: Client, former: str, today: str) -> None:
    response = stranger.get(former)
    assert (response.status_code, response.headers["Location"]) == (308, today)


def test_a_form_posted_to_a_former_address_reaches_its_page(client: Client) -> None:
    response = client.post("/messaging/delayed/retry/", {"instance": "A"})
    assert (response.status_code, response.headers["Location"]) == (308, "/delayed/retry/")


@pytest.mark.parametrize("address", ["/import", "/messaging/", "/admin//evil.example/", "/import///evil.example"])
def test_no_former_address_leads_to_another_site(stranger: Client, address: str) -> None:
    response = stranger.get(address)
    location = response.headers.get("Location", "/")
    assert location.startswith("/")
    assert not location.startswith("//")
