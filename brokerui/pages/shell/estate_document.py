"""The document of the estate that one looks at."""

from __future__ import annotations

from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from brokerui.changes.estate_view import estate_view_of
from routing.documents.estate_document import FORMAT
from routing.documents.writer import estate_as_json


@require_safe
def document(request: HttpRequest) -> StreamingHttpResponse:
    """As canonical JSON, to be kept: commands and other BrokerUIs read it."""
    viewed = estate_view_of(request)
    name = viewed.file.removeprefix("examples/")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    return StreamingHttpResponse(
        estate_as_json(viewed.estate, FORMAT), content_type="application/json", headers=headers
    )
