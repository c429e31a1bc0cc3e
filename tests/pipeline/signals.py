"""A signal to the job in the middle of a commit."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

from pipeline.runtime.shutdown import Shutdown


@contextmanager
def interrupted_at(step: str, module: str, ending: Shutdown) -> Iterator[None]:
    """Send SIGTERM to this process whenever the module comes to this step, a function that it calls; the job has to end
    by it, sooner or later."""
    do = getattr(import_module(module), step)

    def signalled(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGTERM)
        return do(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{module}.SHUTDOWN", ending)
        patch.setattr(f"{module}.{step}", signalled)
        with pytest.raises(KeyboardInterrupt):
            yield
