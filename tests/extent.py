"""How much one run tries: `make test` some of the similar cases, `make test-all` all of them."""

from __future__ import annotations

import os
from typing import Final

IS_ALL: Final = os.environ.get("HYPOTHESIS_PROFILE") == "test-all"
