"""Fixtures and documents for tests that ask for pages, here and in tests/browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

PLAIN = "django.contrib.staticfiles.storage.StaticFilesStorage"


@pytest.fixture
def plain_files(settings: Any) -> None:
    """Files under the names they have in the sources: nobody has collected them."""
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": PLAIN}}


def document(*instances: str) -> bytes:
    """An estate document with these instances, each with a database `Orders` and one route."""
    route = {"name": "AutoCreatedLocal", "address": "LOCAL"}
    return json.dumps(
        {
            "format": "brokerui.estate/1",
            "instances": [
                {"name": name, "databases": [{"name": "Orders", "services": ["A", "B"], "routes": [route]}]}
                for name in instances
            ],
        }
    ).encode()


def upload(content: bytes, name: str = "estate.json") -> dict[str, SimpleUploadedFile]:
    """The body of the form on the page of scenarios."""
    return {"document": SimpleUploadedFile(name, content, content_type="application/json")}
