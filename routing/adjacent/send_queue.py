"""Frames and fragments of one connection that wait for the socket, in the order in which they are sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from routing.adjacent import frames

MAX_QUEUED_ROLE_FRAMES: Final = 1000
"""Maximum role frames queued for the socket; more are dropped and asked again. A peer that asks without reading makes
us hold at most 2 MB."""


class SendQueue:
    """Control frames first, then role frames, then fragments up to one frame, at last our CLOSE."""

    def __init__(self, max_bytes: int) -> None:
        self.queued_bytes = 0
        """Bytes of the fragments that wait."""
        self.is_refusing = False
        """True from a refused fragment until half of `max_bytes` is free again."""
        self.close_frame: bytes | None = None
        """Our CLOSE, sent after everything else."""
        self.fragments_sent = 0
        self._max_bytes = max_bytes
        self._control: list[bytes] = []
        self._roles: list[bytes] = []
        self._fragments: deque[bytes] = deque()

    @property
    def has_fragments(self) -> bool:
        return bool(self._fragments)

    def put_control(self, frame: bytes) -> None:
        """Queue a frame ahead of everything else."""
        self._control.append(frame)

    def has_control(self, frame: bytes) -> bool:
        return frame in self._control

    def put_role(self, frame: bytes) -> bool:
        """Queue a role frame ahead of all fragments. False: too many are queued."""
        if len(self._roles) >= MAX_QUEUED_ROLE_FRAMES:
            return False
        self._roles.append(frame)
        return True

    def put_fragments(self, fragments: Sequence[bytes]) -> int:
        """Queue as many fragments as fit, and return their number."""
        taken = 0
        for raw in fragments:
            if self.queued_bytes + len(raw) > self._max_bytes:
                self.is_refusing = True
                break
            self._fragments.append(raw)
            self.queued_bytes += len(raw)
            taken += 1
        return taken

    def next_bytes(self, max_frame_bytes: int) -> bytes:
        """Take the next bytes for the socket, at most one frame of fragments; empty if nothing waits."""
        pieces, self._control, self._roles = [*self._control, *self._roles], [], []
        if self._fragments:
            pieces.append(self._frame_of_fragments(max_frame_bytes - frames.FRAME_HEAD.size))
        if not self._fragments and self.close_frame is not None:
            pieces.append(self.close_frame)
            self.close_frame = None
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _frame_of_fragments(self, room: int) -> bytes:
        queue, pieces, size = self._fragments, [], 0
        while queue and size + len(queue[0]) <= room:
            size += len(queue[0])
            pieces.append(queue.popleft())
        self.queued_bytes -= size
        self.fragments_sent += len(pieces)
        if self.is_refusing and self.queued_bytes <= self._max_bytes // 2:
            self.is_refusing = False
        return frames.write_fragments(pieces, size)

    def drop(self) -> int:
        """Discard everything queued and return the number of fragments lost."""
        unsent = len(self._fragments)
        self._fragments.clear()
        self._control.clear()
        self._roles.clear()
        self.queued_bytes, self.close_frame = 0, None
        return unsent
