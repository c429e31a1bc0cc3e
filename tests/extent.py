"""How much one run tries: `make test` a part of what is alike, `make test-all` all of it."""

from __future__ import annotations

import os
from typing import Final

IS_ALL: Final = os.environ.get("HYPOTHESIS_PROFILE") == "test-all"
