"""The product's numbers for why nothing can be sent to a next hop."""

from __future__ import annotations

from typing import Final

NOT_AUTHENTICATED: Final = 9751
CONNECT_FAILED: Final = 9754
NO_LOGIN: Final = 9758
NAME_NOT_FOUND: Final = 9783
