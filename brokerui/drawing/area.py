"""Rectangles."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle."""

    x: float
    y: float
    w: float
    h: float

    def overlaps(self, other: Area) -> bool:
        across = self.x < other.x + other.w and other.x < self.x + self.w
        return across and self.y < other.y + other.h and other.y < self.y + self.h

    def holds(self, other: Area) -> bool:
        across = self.x <= other.x and other.x + other.w <= self.x + self.w
        return across and self.y <= other.y and other.y + other.h <= self.y + self.h
