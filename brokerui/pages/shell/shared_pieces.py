"""Pieces that several people look at: made once for all readers who would get the same one.

A piece depends on its address, on what its reader may do, and on the reader's language, zone and clock. Tokens of its
forms are the reader's own: each reader gets the text with the reader's token.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils.translation import get_language

from brokerui.accounts.levels import Level, Right, may
from brokerui.core.cache import LruCache
from brokerui.core.keyed_lock import KeyedLock
from brokerui.core.lasting import Lasting
from brokerui.core.moments import reading
from brokerui.pages.shell.unchanged import SHAPE, State

MOST: Final = 200
"""Pieces that a process keeps, of some hundred kilobytes each."""
TOKEN: Final = re.compile(r'(name="csrfmiddlewaretoken" value=")[^"]*')
"""It differs each time, for the same reader."""


@dataclass(frozen=True, slots=True)
class SharedPiece:
    """A piece without the tokens of its forms, and how long it is the one that would be made."""

    text: str
    etag: str
    """The same one, whatever the tokens are."""
    shape: str
    """The parts that its page has."""
    state: State
    """As it was before the piece was made."""
    until: float
    """When an age in it is another one, on the monotonic clock. A figure that is being counted comes without a commit:
    then it is over at once."""

    @classmethod
    def of(cls, text: str, shape: str, state: State, lasted: Lasting) -> SharedPiece:
        """Make one of a text that was rendered for somebody."""
        bare = TOKEN.sub(r"\1", text)
        etag = f'W/"{blake2b(bare.encode(), digest_size=12).hexdigest()}"'
        return cls(bare, etag, shape, state, time.monotonic() + (0 if lasted.is_passing else lasted.kept_s))

    def text_for(self, request: HttpRequest) -> str:
        """Return the piece with the token of this reader where it has forms."""
        if TOKEN.search(self.text) is None:
            return self.text
        return TOKEN.sub(rf"\g<1>{get_token(request)}", self.text)

    def is_of(self, state: State) -> bool:
        """Whether the same piece would be made in this state now."""
        return state.commits is not None and state == self.state and time.monotonic() < self.until


_pieces: LruCache[SharedPiece] = LruCache(MOST)
_being_made = KeyedLock()


def shared_piece(
    request: HttpRequest, read_state: Callable[[], State], make: Callable[[State], SharedPiece]
) -> tuple[SharedPiece, bool]:
    """Return the piece for this reader, and whether it is a new one, not one that was made for another reader. Those
    who want the same one meanwhile wait for it."""
    key = _readers(request)
    with _being_made.hold(key):
        state, known = read_state(), _pieces.get(key)
        if known is not None and known.is_of(state):
            return known, False
        return _pieces.put(key, make(state)), True


def forget() -> None:
    """Forget all pieces."""
    _pieces.clear()


def _readers(request: HttpRequest) -> Hashable:
    """All who get the same piece."""
    rights = tuple(may(request.user, permission) for permission in (*Level, *Right))
    return request.get_full_path(), request.headers.get(SHAPE), rights, get_language(), reading()
