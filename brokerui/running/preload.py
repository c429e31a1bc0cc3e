"""Preparation of the answers that pages need of the live estate, before the first request.

It goes through the same functions as the pages, which keep what they make under the estate's content. Nothing depends
on it: a page that comes first makes what it needs itself.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.db import close_old_connections, connections
from django.dispatch import receiver
from django.template.loader import get_template
from django.urls import get_resolver

from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.reachability.selectors import is_worked_out, names_of
from brokerui.changes.estate_view import EstateView, estate_view_from
from brokerui.estate.signals import estate_read
from brokerui.pages.flow import page as flow
from brokerui.pages.map.network import network_of
from brokerui.pages.reachability import page as reachability
from brokerui.pages.reachability.query import ReachabilityQuery
from brokerui.pages.routes.rows import routes_of
from brokerui.pages.where.choices import choices_of
from routing.common.gc_control import gc_freeze
from routing.model.estate import Estate

logger = logging.getLogger(__name__)
Derivation = Callable[[EstateView], object]


def _searchable(viewed: EstateView) -> None:
    """The texts in which words are looked for."""
    for row in routes_of(viewed.key, viewed.estate).rows:
        _ = row.text  # kept with the row


ESTATE_DERIVATIONS: tuple[Derivation, ...] = (
    lambda viewed: choices_of(viewed.key, viewed.estate),
    lambda viewed: network_of(viewed.key, viewed.estate),
    lambda viewed: routes_of(viewed.key, viewed.estate),
    _searchable,
    names_of,
)
"""Everything that pages derive from the whole of an estate alone and keep."""
JOB_DERIVATIONS: tuple[Derivation, ...] = (
    findings_for,
    lambda viewed: is_worked_out(viewed) and reachability.page_of(viewed, ReachabilityQuery()),
    lambda viewed: is_worked_out(viewed) and flow.page_of(viewed, flow.FlowQuery()),
)
"""Load the results of background jobs in the same way, once they exist."""
EVERY_S = 3.0
"""Interval at which the thread checks for something new, in seconds."""
PAUSE_S = 0.05
"""Pause between two derivations, in seconds: requests go first."""


def preload_program() -> None:
    """Load the addresses and templates of the site, for which its first requests would have to wait."""
    _ = get_resolver().url_patterns
    folder = settings.TEMPLATE_FOLDER
    for path in sorted(folder.rglob("*.html")):
        get_template(str(path.relative_to(folder)))


def preload_estate() -> None:
    """Load the live estate and what pages derive from it, in the process from which the web workers are forked."""
    _try(lambda: _derive(ESTATE_DERIVATIONS, pause=0))
    gc_freeze()
    # A connection must not be shared with the processes that are forked from this one.
    connections.close_all()


def preload() -> None:
    """Read the live estate and derive what pages need; quick where both are done already."""
    _derive((*ESTATE_DERIVATIONS, *JOB_DERIVATIONS), pause=PAUSE_S)


@receiver(estate_read, dispatch_uid="warming")
def derive_after_read(key: str, estate: Estate, **_signal: object) -> None:
    """Derive what pages need of a version or a scenario that was just read."""
    for derive in ESTATE_DERIVATIONS:
        derive(EstateView(estate, key))


def preload_start() -> None:
    """Start a thread that preloads whenever there is something new."""
    threading.Thread(target=_keep_loaded, name="warming", daemon=True).start()


def _derive(derivations: tuple[Derivation, ...], pause: float) -> None:
    viewed = estate_view_from({})
    for derive in derivations:
        derive(viewed)
        time.sleep(pause)


def _try(work: Callable[[], None]) -> None:
    """Log any error: pages work without preloading, and show the error themselves."""
    try:
        work()
    except Exception:
        logger.exception("pages could not be prepared at the start; the first request does it")


def _keep_loaded() -> None:
    while True:
        close_old_connections()
        _try(preload)
        time.sleep(EVERY_S)
